/** The halt of a process, as SIGSTOP and SIGCONT do it: nothing of it runs meanwhile, and nothing is lost. */
export interface Freeze {
  isFrozen(): boolean
  /** Resolves when the process runs again. */
  readonly thawed: Promise<void>
  begin(): void
  /**
   * Calls the timers that became due meanwhile, in their order, then hands over the messages that arrived, before
   * anything else goes on, as Node.js does.
   */
  end(): void
  /** Keeps a timer or a message until the process runs again. */
  keep(kind: 'timer' | 'message', callback: () => void): void
}

export function createFreeze(): Freeze {
  let kept: { kind: 'timer' | 'message'; callback: () => void }[] = []
  let frozen: PromiseWithResolvers<void> | null = null
  return {
    isFrozen: () => frozen !== null,
    get thawed() {
      return frozen?.promise ?? Promise.resolve()
    },
    begin: () => void (frozen ??= Promise.withResolvers()),
    end() {
      const ended = frozen
      const callbacks = kept
      frozen = null
      kept = []
      for (const first of ['timer', 'message'])
        for (const { kind, callback } of callbacks) if (kind === first) callback()
      ended?.resolve()
    },
    keep: (kind, callback) => void kept.push({ kind, callback }),
  }
}
