import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

import { systemClock } from '../../../src/kernel/clock.ts'
import { type Box, createBox } from '../../../src/workspaces/box/box.ts'
import { createConfiner, type Enforcement } from '../../../src/workspaces/box/confine.ts'
import { createDirectoryWorkspaces } from '../../../src/workspaces/directory.ts'
import type { CommandResult, Workspaces, WorkspacePolicy } from '../../../src/workspaces/port.ts'
import { removeTree } from '../../../src/workspaces/remove-tree.ts'
import { boxHere } from '../../support/box-here.ts'

type Limits = WorkspacePolicy['limits']

/** A box of this machine, and workspaces of which every attack has its own. */
export interface LimitsStage {
  readonly base: string
  readonly workspaces: Workspaces
  /** Runs a script in a box of its own workspace. */
  run(script: string, limits?: Partial<Limits>): Promise<LimitedResult>
  /** A request for a workspace of its own. */
  request(limits?: Partial<Limits>): { id: string; runId: string; box: true; policy: WorkspacePolicy }
  close(): Promise<void>
}

export type LimitedResult = CommandResult & { readonly path: string }

/** Small limits, so that an attack that breaks through does no harm. */
export const narrow: Limits = { maxProcesses: 20, maxMemoryMb: 200, maxDiskMb: 60 }
export const roomy: Limits = { maxProcesses: 600, maxMemoryMb: 2_000, maxDiskMb: 2_000 }

export async function openLimitsStage(): Promise<LimitsStage> {
  // Not under /tmp, which may be in memory.
  const base = realpathSync(mkdtempSync('/var/tmp/agency-limits-'))
  const boxes = join(base, 'boxes')
  mkdirSync(boxes)
  const workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces'), ...(await boxIn(boxes)) })
  let number = 0
  const request: LimitsStage['request'] = (limits = narrow) => {
    number += 1
    const policy = { network: { allowed: false, allow: [], block: [] }, limits: { ...narrow, ...limits } }
    return { id: `brf_${number}`, runId: 'run_1', box: true, policy }
  }
  return {
    base,
    workspaces,
    request,
    run: async (script, limits) => {
      const wanted = request(limits)
      const workspace = await workspaces.prepare(wanted)
      const result = await workspace.run(script, { timeoutMs: 120_000, maxOutputBytes: 20_000 })
      if (!result.boxed || result.timedOut) throw new Error(`it was not played: ${result.output}`)
      return { ...result, path: workspace.path }
    },
    close: () => removeTree(base),
  }
}

async function boxIn(directory: string): Promise<{ box?: Box }> {
  if (!boxHere.ok) return {}
  const { program } = boxHere
  return { box: await createBox({ program, directory, connect: null, closed: [], clock: systemClock }) }
}

/** The enforcement that this user gets on this machine. */
export const enforcement: Enforcement = (await createConfiner('attacks')).enforcement

export const needsBox = (): string | null => (boxHere.ok ? null : boxHere.reason)

export const needsKernel = (): string | null =>
  needsBox() ?? (enforcement === 'samples' ? 'this user may not create control groups' : null)

export const needsThreads = (): string | null =>
  needsBox() ?? (spawnSync('perl', ['-Mthreads', '-e', '1']).status === 0 ? null : 'this Perl has no threads')
