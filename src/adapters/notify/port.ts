import type { NotificationAction, NotificationKind } from './contract.ts'

/**
 * Sends notifications to people. One contract suite (`contract-suite.ts`) covers every implementation; the sender knows
 * only this port.
 */
export interface Notifier {
  readonly name: string
  /**
   * Resolves once the receiver has accepted the message. Rejects with a sentence that states the reason and contains no
   * secret of the settings; never later than the limit.
   */
  send(message: Notification, limits: SendLimits): Promise<void>
}

export interface SendLimits {
  readonly timeoutMs: number
  /** Aborted when the daemon stops. */
  readonly signal?: AbortSignal
}

export interface Notification {
  /** The same at every try, so that a receiver can recognise a repetition. */
  readonly id: string
  readonly audience: string
  readonly kind: NotificationKind
  readonly title: string
  readonly summary: string
  readonly actions: readonly NotificationAction[]
  readonly link: string | null
  readonly runId: string | null
}

/** A notifier with its settings. */
export interface ConfiguredNotifier {
  readonly notifier: Notifier
  /** The kinds that it receives; null means all. */
  readonly kinds: readonly NotificationKind[] | null
  /** It receives only messages of runs whose team names it. */
  readonly isTeamOnly?: boolean
  readonly timeoutMs: number
}
