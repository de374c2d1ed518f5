import type { NotificationKind } from '../adapters/notify/contract.ts'
import type { ConfiguredNotifier, Notification } from '../adapters/notify/port.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Delivery } from './contract.ts'

export type Outlets = ReturnType<typeof createOutlets>

/** After so many failures in a row a notifier is asked only now and then. */
const patience = 3
const restMs = 15_000

/**
 * The configured notifiers. One that keeps failing rests: a thousand messages for a place that hangs would otherwise
 * hold up, one limit after the other, everything else that waits to be done.
 */
export function createOutlets(configured: readonly ConfiguredNotifier[], clock: Clock) {
  const troubles = new Map<string, { failures: number; restsUntilMs: number; error: string }>()

  function failed(name: string, error: string): void {
    const failures = (troubles.get(name)?.failures ?? 0) + 1
    troubles.set(name, { failures, restsUntilMs: clock.nowMs() + restMs, error })
  }

  async function attempt(
    { notifier, timeoutMs }: ConfiguredNotifier,
    message: Notification,
    signal: AbortSignal | undefined,
  ): Promise<Delivery> {
    const adapter = notifier.name
    try {
      await notifier.send(message, signal === undefined ? { timeoutMs } : { timeoutMs, signal })
      troubles.delete(adapter)
      return { adapter, ok: true, at: clock.at() }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!signal?.aborted) failed(adapter, reason)
      return { adapter, ok: false, at: clock.at(), error: reason }
    }
  }

  return {
    list: () => configured.map(({ notifier, kinds }) => ({ name: notifier.name, kinds: kinds && [...kinds] })),

    /** Who is told of this. */
    namesFor: (kind: NotificationKind): string[] =>
      configured.filter(({ kinds }) => kinds === null || kinds.includes(kind)).map(({ notifier }) => notifier.name),

    /** All of them at once. */
    send: (names: readonly string[], message: Notification, signal: AbortSignal): Promise<Delivery[]> =>
      Promise.all(
        configured
          .filter(({ notifier }) => names.includes(notifier.name))
          .map((each) => {
            const adapter = each.notifier.name
            const trouble = troubles.get(adapter)
            if (trouble === undefined || trouble.failures < patience) return attempt(each, message, signal)
            if (clock.nowMs() < trouble.restsUntilMs)
              return {
                adapter,
                ok: false,
                at: clock.at(),
                error: `${trouble.error} (paused after ${trouble.failures} failures)`,
              }
            // This one finds out; whoever comes meanwhile does not wait for it.
            troubles.set(adapter, { ...trouble, restsUntilMs: clock.nowMs() + restMs })
            return attempt(each, message, signal)
          }),
      ),

    /** Whether it rests or not. */
    try: (names: readonly string[], message: Notification): Promise<Delivery[]> =>
      Promise.all(
        configured
          .filter(({ notifier }) => names.includes(notifier.name))
          .map((each) => attempt(each, message, undefined)),
      ),
  }
}
