import type { NotificationAction, NotificationKind } from './contract.ts'

/**
 * A way to reach people. One contract suite (`contract-suite.ts`) holds for every implementation; whoever sends knows
 * nothing else.
 */
export interface Notifier {
  readonly name: string
  /**
   * Resolves once the other side has taken it. Rejects with a sentence that says why not, in which no secret of its
   * settings stands; never later than the limit.
   */
  send(message: Notification, limits: SendLimits): Promise<void>
}

export interface SendLimits {
  readonly timeoutMs: number
  /** Aborted when the daemon stops. */
  readonly signal?: AbortSignal
}

export interface Notification {
  /** The same at every try, so that a receiver can tell a repetition. */
  readonly id: string
  readonly audience: string
  readonly kind: NotificationKind
  readonly title: string
  readonly summary: string
  readonly actions: readonly NotificationAction[]
  readonly link: string | null
  readonly runId: string | null
}

/** As the configuration has it. */
export interface ConfiguredNotifier {
  readonly notifier: Notifier
  /** What it is told of; null: everything. */
  readonly kinds: readonly NotificationKind[] | null
  readonly timeoutMs: number
}
