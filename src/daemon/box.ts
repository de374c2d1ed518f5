import { rm } from 'node:fs/promises'

import type { Configuration } from '../config/contract.ts'
import type { Log } from '../kernel/log.ts'
import { type Box, type BoxParts, createBox } from '../workspaces/box/box.ts'
import { detectBox } from '../workspaces/box/detect.ts'
import type { NoBox } from '../workspaces/enter.ts'
import type { HomePaths } from './home.ts'

export interface BoxSetup {
  readonly box: Box | NoBox
  readonly hasBox: boolean
  readonly isRequired: boolean
  /** Text for people: the box, or the reason why there is none. */
  readonly about: string
}

export interface BoxDeps extends Pick<BoxParts, 'clock' | 'connect'> {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
}

/** Sets up the box of this installation by trying it out, or returns why there is none. */
export async function prepareBox(
  paths: HomePaths,
  values: Pick<Configuration, 'box' | 'boxReadable'>,
  { env, clock, log, connect }: BoxDeps,
): Promise<BoxSetup> {
  // Removes directories that a killed daemon has left; no other process uses this home.
  await rm(paths.boxes, { recursive: true, force: true })
  const isRequired = values.box === 'required'
  const without = (reason: string, install: string): BoxSetup => {
    log.warn(isRequired ? 'no agent is started because there is no box' : 'agents run without a box', {
      reason,
      install,
    })
    return { box: { reason, install }, hasBox: false, isRequired, about: `none: ${reason}` }
  }
  if (values.box === 'off') return without('switched off by "box: off"', 'Set "box: auto" in config.yaml.')
  const found = await detectBox({ path: env['PATH'], directory: paths.boxes })
  if (!found.ok) return without(found.reason, found.install)
  const box = await createBox({
    program: found.program,
    directory: paths.boxes,
    connect,
    readable: values.boxReadable,
    closed: [paths.home, paths.data],
    clock,
    refused: (host, why) => log.info('a network request from a box was refused', { host, why }),
    proxyEnded: (reason) => log.warn('the proxy of the boxes ended and starts again', { reason }),
  })
  return { box, hasBox: true, isRequired, about: `bubblewrap ${found.version}` }
}
