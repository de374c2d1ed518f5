import { type Clock, sleep } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'

interface Stoppable {
  readonly log: Log
  stop(): Promise<void>
}

/** How long the daemon may take to end its agents after a bug. */
const stopMs = 10_000

/**
 * The last boundary for errors that no caller has handled. Trouble of the store passes, so it is logged and the daemon
 * goes on; a bug leaves an unknown state behind, so the daemon logs it, ends its agents and exits with a failure.
 */
export function createLastBoundary(
  clock: Clock,
  exit: (code: number) => void,
): { handle(thrown: unknown): Promise<void>; set(daemon: Stoppable): void } {
  let daemon: Stoppable | null = null
  let isEnding = false
  return {
    set: (started) => {
      daemon = started
    },
    async handle(thrown) {
      const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
      if (thrown instanceof AgencyError && passing.has(thrown.code)) {
        daemon?.log.error('the store refused work in the background', { error: text })
        return
      }
      daemon?.log.error('a bug ends the daemon', { error: text })
      console.error(thrown)
      if (isEnding) return
      isEnding = true
      if (daemon !== null) await Promise.race([daemon.stop().catch(() => {}), sleep(clock, stopMs)])
      exit(1)
    },
  }
}

const passing: ReadonlySet<string> = new Set(['store_unusable', 'store_full', 'stopping'])
