import type { Clock } from '../kernel/clock.ts'

export interface LeaseDeps {
  readonly clock: Clock
  /** The time between two renewals. */
  readonly everyMs: number
  /** Reports whether there is a lease to renew. */
  readonly isNeeded: () => boolean
  /** Renews all leases; resolves to false if the store did not take it. */
  readonly renew: () => Promise<boolean>
}

export interface Leases {
  /** Sets the timer of the next renewal while one is needed, and no timer otherwise. */
  keep(): void
  renewNow(): Promise<void>
}

/**
 * Renews the leases of the jobs that run in a process, also while it stops: a slow handler must not run elsewhere too,
 * whatever else the process is busy with.
 */
export function createLeases({ clock, everyMs, isNeeded, renew }: LeaseDeps): Leases {
  let cancel: (() => void) | null = null

  function forget(): void {
    cancel?.()
    cancel = null
  }

  function keepAfter(ms: number): void {
    if (!isNeeded()) return forget()
    cancel ??= clock.after(ms, () => void renewNow())
  }

  async function renewNow(): Promise<void> {
    forget()
    if (isNeeded()) keepAfter((await renew()) ? everyMs : retryMs)
  }

  return { keep: () => keepAfter(everyMs), renewNow }
}

/** How soon leases are renewed that the store did not take. */
const retryMs = 1_000
