import { rm } from 'node:fs/promises'

import type { Configuration } from '../config/contract.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { type Box, createBox } from '../workspaces/box/box.ts'
import { detectBox } from '../workspaces/box/detect.ts'
import type { NoBox } from '../workspaces/directory.ts'
import type { HomePaths } from './home.ts'

export interface Boxing {
  readonly box: Box | NoBox
  readonly hasBox: boolean
  /** For people: which box, or why none. */
  readonly about: string
}

/** The box of this installation, found out by trying: or why there is none, and what that means. */
export async function prepareBox(
  paths: HomePaths,
  values: Pick<Configuration, 'box' | 'boxReadable'>,
  { env, clock, log }: { env: Readonly<Record<string, string | undefined>>; clock: Clock; log: Log },
): Promise<Boxing> {
  // What a daemon that was killed has left; the home is ours alone.
  await rm(paths.boxes, { recursive: true, force: true })
  const without = (reason: string, install: string): Boxing => {
    const isRequired = values.box === 'required'
    log.warn(isRequired ? 'there is no box, so no agent is started' : 'agents are not boxed', { reason, install })
    return { box: { reason, install, isRequired }, hasBox: false, about: `none: ${reason}` }
  }
  if (values.box === 'off') return without('switched off by "box: off"', 'Set "box: auto" in config.yaml.')
  const found = await detectBox({ path: env['PATH'], directory: paths.boxes })
  if (!found.ok) return without(found.reason, found.install)
  const box = await createBox({
    program: found.program,
    directory: paths.boxes,
    socket: paths.socket,
    readable: values.boxReadable,
    closed: [paths.home, paths.data],
    clock,
    refused: (host, why) => log.info('a box was not let out', { host, why }),
  })
  return { box, hasBox: true, about: `bubblewrap ${found.version}` }
}
