import type { Clock } from '../kernel/clock.ts'
import { killGroup } from '../processes/kill-group.ts'
import { launchIdIn } from '../processes/launch-id.ts'
import { findSurvivors, killSurvivors } from '../processes/survivors.ts'
import { snapshotGuarded } from './audit.ts'
import { measureDisk } from './box/disk.ts'
import { type LimitWatch, type Use, watchLimits } from './box/limits.ts'
import { freeOf } from './box/measure.ts'
import { useOf } from './box/processes.ts'
import { agencyGuarded, type Guarded } from './guarded.ts'
import type { ResourceUse, Workspace, WorkspacePolicy } from './port.ts'

interface MonitoredWorkspace {
  readonly path: string
  readonly home: string
  /** Further directories in which it writes. */
  readonly writable?: readonly string[]
  readonly guarded?: readonly Guarded[] | undefined
  /** A checkout has no files of Agency's own. */
  readonly isCheckout?: boolean
  readonly policy: WorkspacePolicy
  readonly clock: Clock
}

/**
 * Prepares a process where there is no box: nothing is prevented, but limits are watched, and changes to Agency's own
 * files in the workspace are undone afterwards and reported.
 */
export const enterMonitored =
  ({
    path,
    home,
    writable = [],
    guarded = agencyGuarded,
    isCheckout = false,
    policy,
    clock,
  }: MonitoredWorkspace): Workspace['enter'] =>
  async ({ command, environment }) => {
    const snapshot = isCheckout ? null : await snapshotGuarded(path, guarded)
    const launchId = launchIdIn(environment)
    let watch: LimitWatch | null = null
    return {
      command,
      environment,
      directory: path,
      boxed: false,
      init: null,
      signal: killGroup,
      watch: (pid, breached) => {
        watch = watchLimits({
          clock,
          limits: policy.limits,
          measure: () => measureProcesses(launchId, pid),
          measureDisk: (maxFiles) => measureDisk([path, home, ...writable], maxFiles),
          free: () => freeOf(path),
          kill: () => {
            killGroup(pid)
            if (launchId !== null) void killSurvivors([launchId])
          },
          exceeded: breached,
        })
      },
      leave: async () => {
        const used: ResourceUse | null = (await watch?.stop()) ?? null
        const violations = (await snapshot?.restore()) ?? []
        if (violations.length === 0) return used
        return { ...(used ?? { memoryMb: 0, processes: 0, diskMb: 0 }), violations }
      },
    }
  }

/** Measures all processes that carry the launch id; without one, only the started process is known. */
async function measureProcesses(launchId: string | null, pid: number): Promise<Use | null> {
  const survivors = launchId === null ? [] : (await findSurvivors()).filter((each) => each.launchId === launchId)
  const pids = launchId === null ? [pid] : survivors.map((each) => each.pid)
  if (pids.length === 0) return null
  const { ownMb, sharedMb } = useOf(pids)
  return { processes: pids.length, memoryMb: ownMb + sharedMb }
}
