import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { systemClock } from '../../../src/kernel/clock.ts'
import { type Box, createBox } from '../../../src/workspaces/box/box.ts'
import { createDirectoryWorkspaces } from '../../../src/workspaces/directory.ts'
import { startInWorkspace } from '../../../src/workspaces/process.ts'
import { boxHere } from '../../support/box-here.ts'
import type { Attack } from '../contract.ts'
import { type DaemonStage, openDaemonStage, type Puppet } from '../daemon-stage.ts'

/** The number at which the daemon of the stage inherits the root directory. */
export const inheritedNumber = 200

export interface SightStage {
  /** Not under /tmp, which every box has of its own: a target must be hidden by the box's mounts, not by chance. */
  readonly base: string
  /** A closed place with a token, beside which a box can be created without a daemon. */
  readonly installation: string
  readonly daemon: DaemonStage
  readonly puppet: Puppet
  /** Runs a script in a box or without one; the output has BREACHED if it succeeded. */
  run(script: string, options?: RunOptions): Promise<Ran>
  close(): Promise<void>
}

export interface RunOptions {
  readonly boxed?: boolean
  /** Paths that the operator has chosen to show. */
  readonly readable?: readonly string[]
  /** Places that are closed instead of the installation. */
  readonly closed?: readonly string[]
  /** A program that is started instead of a shell. */
  readonly command?: readonly [string, ...string[]]
}

export interface Ran {
  readonly output: string
  readonly isBreached: boolean
  readonly workspace: string
  /** The message with which the box refused to start, or null. */
  readonly refused: string | null
}

export type SightAttack = Attack<SightStage>

export const token = 'agt_secret_of_the_installation'

export async function openSightStage(): Promise<SightStage> {
  if (!boxHere.ok) throw new Error(boxHere.reason)
  const base = realpathSync(mkdtempSync('/var/tmp/agency-sight-'))
  const installation = join(base, 'installation')
  mkdirSync(installation, { mode: 0o700 })
  writeFileSync(join(installation, 'operator.token'), token, { mode: 0o600 })
  const descriptor = openSync('/', 'r')
  const daemon = await openDaemonStage({ inherits: { descriptor, as: inheritedNumber } })
  closeSync(descriptor)
  const { program } = boxHere
  const boxWith = (closed: readonly string[]): Promise<Box> =>
    createBox({ program, directory: join(base, 'boxes'), connect: null, closed, clock: systemClock })
  const [usual, puppet] = await Promise.all([boxWith([installation]), daemon.puppet()])
  let count = 0
  return {
    base,
    installation,
    daemon,
    puppet,
    run: async (script, { closed, ...options } = {}) => {
      count += 1
      const id = `brf_${count}`
      const box = closed === undefined ? usual : await boxWith(closed)
      return runScript({ base, box, id, script, ...options })
    },
    close: async () => {
      await daemon.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

async function runScript({
  base,
  box,
  id,
  script,
  boxed = true,
  readable = [],
  command,
}: Omit<RunOptions, 'closed'> & { base: string; box: Box; id: string; script: string }): Promise<Ran> {
  const workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces'), ...(boxed ? { box } : {}) })
  const workspace = await workspaces.prepare({ id, runId: 'run_1', box: boxed, readable })
  const environment = {
    PATH: `/usr/bin:/bin:${process.env['PATH'] ?? ''}`,
    AGENCY_LAUNCH_ID: `att_sight_${process.pid}`,
  }
  const words = command ?? (['/bin/sh', '-c', `exec 2>&1\n${script}`] as const)
  try {
    const started = await startInWorkspace(workspace, { command: words, environment, offline: true }, [
      'ignore',
      'pipe',
      'ignore',
    ])
    const chunks: string[] = []
    const closed = new Promise((resolve) => void started.child.once('close', resolve))
    started.child.stdout?.on('data', (chunk: Buffer) => void chunks.push(String(chunk)))
    await started.exited
    await closed
    await started.leave()
    const output = chunks.join('')
    return { output, isBreached: /^BREACHED/m.test(output), workspace: workspace.path, refused: null }
  } catch (error) {
    return { output: '', isBreached: false, workspace: workspace.path, refused: (error as Error).message }
  }
}
