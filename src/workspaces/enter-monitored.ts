import { statfs } from 'node:fs/promises'

import type { Clock } from '../kernel/clock.ts'
import { killGroup } from '../processes/kill-group.ts'
import { findSurvivors, killSurvivors } from '../processes/survivors.ts'
import { snapshotAgencyFiles } from './audit.ts'
import { diskUseOf } from './box/disk.ts'
import { watchLimits } from './box/limits.ts'
import { memoryOf } from './box/processes.ts'
import type { ResourceUse, Workspace, WorkspacePolicy } from './port.ts'

interface Room {
  readonly path: string
  readonly home: string
  readonly policy: WorkspacePolicy
  readonly clock: Clock
}

/**
 * In the place of a box: nothing is prevented, but limits are looked at, and what was changed of Agency's own files in
 * the workspace is put back afterwards and told.
 */
export const enterMonitored =
  ({ path, home, policy, clock }: Room): Workspace['enter'] =>
  async ({ command, environment }) => {
    const ours = await snapshotAgencyFiles(path)
    const launchId = environment['AGENCY_LAUNCH_ID']
    let watch: ReturnType<typeof watchLimits> | null = null
    return {
      command,
      environment,
      directory: path,
      boxed: false,
      hasStatus: false,
      signal: killGroup,
      watch: (pid, breached) => {
        watch = watchLimits({
          clock,
          limits: policy.limits,
          look: () => lookAt(launchId, pid),
          lookAtDisk: () => diskUseOf([path, home]),
          freeMb: () => freeMbOf(path),
          exceeded: (breach) => {
            killGroup(pid)
            if (launchId !== undefined) void killSurvivors([launchId])
            breached(breach)
          },
        })
      },
      leave: async () => {
        const used: ResourceUse | null = (await watch?.stop()) ?? null
        const violations = await ours.putBack()
        if (violations.length === 0) return used
        return { ...(used ?? { memoryMb: 0, processes: 0, diskMb: 0 }), violations }
      },
    }
  }

/** Whoever carries its launch id belongs to it; without one, only the process that was started is known. */
async function lookAt(
  launchId: string | undefined,
  pid: number,
): Promise<{ processes: number; memoryMb: number } | null> {
  const found = launchId === undefined ? [] : (await findSurvivors()).filter((each) => each.launchId === launchId)
  const pids = launchId === undefined ? [pid] : found.map((each) => each.pid)
  return pids.length === 0 ? null : { processes: pids.length, memoryMb: memoryOf(pids) }
}

async function freeMbOf(path: string): Promise<number> {
  const found = await statfs(path).catch(() => null)
  return found === null ? Infinity : (found.bavail * found.bsize) / (1024 * 1024)
}
