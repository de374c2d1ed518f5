import type { Clock } from '../kernel/clock.ts'
import type { RunConfiguration } from '../work/runs/contract.ts'

/** An attempt that is silent for too long, or lasts too long, is ended. `touch` starts the idle time anew. */
export function watchDeadlines(
  clock: Clock,
  limits: Pick<RunConfiguration, 'idleMinutes' | 'hardMinutes'>,
  stop: (why: 'deadline_idle' | 'deadline_hard') => void,
): { touch(): void; cancel(): void } {
  const idleMs = limits.idleMinutes === null ? null : limits.idleMinutes * 60_000
  let lastMs = clock.nowMs()
  let cancelIdle = (): void => {}
  // One timer that looks when it fires, not one per line of output.
  const watchIdle = (inMs: number): void => {
    cancelIdle = clock.after(inMs, () => {
      const silentMs = clock.nowMs() - lastMs
      // A clock that was set back makes silence negative; the wait simply starts again.
      const leftMs = (idleMs as number) - Math.max(0, silentMs)
      if (leftMs <= 0) stop('deadline_idle')
      else watchIdle(leftMs)
    })
  }
  if (idleMs !== null) watchIdle(idleMs)
  const cancelHard =
    limits.hardMinutes === null ? () => {} : clock.after(limits.hardMinutes * 60_000, () => stop('deadline_hard'))
  return {
    touch: () => {
      lastMs = clock.nowMs()
    },
    cancel: () => {
      cancelIdle()
      cancelHard()
    },
  }
}
