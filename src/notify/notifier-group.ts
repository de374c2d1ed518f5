import type { NotificationKind } from '../adapters/notify/contract.ts'
import type { ConfiguredNotifier, Notification } from '../adapters/notify/port.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Delivery } from './contract.ts'

export type NotifierGroup = ReturnType<typeof createNotifierGroup>

/** After this many failures in a row a notifier is paused and tried once per `pauseMs`. */
const maxFailures = 3
const pauseMs = 15_000

/**
 * Sends through the configured notifiers. One that keeps failing is paused: a thousand messages for a receiver that hangs
 * would otherwise delay all other jobs, one timeout after the other.
 */
export function createNotifierGroup(configured: readonly ConfiguredNotifier[], clock: Clock) {
  const failing = new Map<string, { failures: number; pausedUntilMs: number; error: string }>()

  function failed(name: string, error: string): void {
    const failures = (failing.get(name)?.failures ?? 0) + 1
    failing.set(name, { failures, pausedUntilMs: clock.nowMs() + pauseMs, error })
  }

  async function attempt(
    { notifier, timeoutMs }: ConfiguredNotifier,
    message: Notification,
    signal: AbortSignal | undefined,
  ): Promise<Delivery> {
    const adapter = notifier.name
    try {
      await notifier.send(message, signal === undefined ? { timeoutMs } : { timeoutMs, signal })
      failing.delete(adapter)
      return { adapter, ok: true, at: clock.at() }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!signal?.aborted) failed(adapter, reason)
      return { adapter, ok: false, at: clock.at(), error: reason }
    }
  }

  return {
    list: () => configured.map(({ notifier, kinds }) => ({ name: notifier.name, kinds: kinds && [...kinds] })),

    /** Returns the names of the notifiers that receive this kind, for a run whose team names these. */
    namesFor: (kind: NotificationKind, named: readonly string[]): string[] =>
      configured
        .filter(({ kinds }) => kinds === null || kinds.includes(kind))
        .filter(({ isTeamOnly, notifier }) => isTeamOnly !== true || named.includes(notifier.name))
        .map(({ notifier }) => notifier.name),

    /** Sends through all of them in parallel. */
    send: (names: readonly string[], message: Notification, signal: AbortSignal): Promise<Delivery[]> =>
      Promise.all(
        configured
          .filter(({ notifier }) => names.includes(notifier.name))
          .map((each) => {
            const adapter = each.notifier.name
            const state = failing.get(adapter)
            if (state === undefined || state.failures < maxFailures) return attempt(each, message, signal)
            if (clock.nowMs() < state.pausedUntilMs)
              return {
                adapter,
                ok: false,
                at: clock.at(),
                error: `${state.error} (paused after ${state.failures} failures)`,
              }
            // This message probes the notifier; messages that come meanwhile do not wait for it.
            failing.set(adapter, { ...state, pausedUntilMs: clock.nowMs() + pauseMs })
            return attempt(each, message, signal)
          }),
      ),

    /** Sends even if a notifier is paused. */
    try: (names: readonly string[], message: Notification): Promise<Delivery[]> =>
      Promise.all(
        configured
          .filter(({ notifier }) => names.includes(notifier.name))
          .map((each) => attempt(each, message, undefined)),
      ),
  }
}
