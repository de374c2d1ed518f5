import type { Clock } from '../../kernel/clock.ts'

/** The time for which a run is left out after its first, second and third failure. */
const pausesMs = [1_000, 5_000, 30_000] as const
/** Of a run about which not even a question can be asked. */
const longestMs = 600_000

export type Pauses = ReturnType<typeof createPauses>

/**
 * Remembers the runs that could not be claimed: they are left out of the next searches, so that they hold up no other
 * run. In memory, because a process that starts tries them again.
 */
export function createPauses(clock: Pick<Clock, 'nowMs'>) {
  const known = new Map<string, Pause>()

  return {
    /** Begins the next pause of a run; returns its length, or null if the operator is to be asked now. */
    begin(runId: string): number | null {
      const failures = (known.get(runId)?.failures ?? 0) + 1
      const pauseMs = pausesMs[failures - 1]
      const sinceMs = clock.nowMs()
      known.set(runId, { failures, sinceMs, untilMs: sinceMs + (pauseMs ?? longestMs) })
      return pauseMs ?? null
    },

    /** Forgets the failures of a run: it was claimed, or the operator was asked. */
    end: (runId: string): void => void known.delete(runId),

    /** Lists the runs that are left out now. */
    runIds(): string[] {
      const nowMs = clock.nowMs()
      return [...known].flatMap(([runId, pause]) => (isUnderWay(pause, nowMs) ? [runId] : []))
    },

    /** Returns the time at which the next of them ends. */
    nextEndMs(): number | null {
      const nowMs = clock.nowMs()
      let next: number | null = null
      for (const [runId, pause] of known) {
        const { untilMs } = pause
        // It was ended or is not ready any more, or it would have been found again.
        if (untilMs < nowMs - longestMs) known.delete(runId)
        else if (isUnderWay(pause, nowMs) && untilMs < (next ?? Infinity)) next = untilMs
      }
      return next
    },
  }
}

interface Pause {
  readonly failures: number
  readonly sinceMs: number
  readonly untilMs: number
}

/** A pause ends early if the clock is set back: otherwise it would last for as long as the clock was ahead. */
const isUnderWay = ({ sinceMs, untilMs }: Pause, nowMs: number): boolean => sinceMs <= nowMs && nowMs < untilMs
