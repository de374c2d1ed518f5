/** A point at which an agent waits until the test opens it. */
export interface Gate {
  /** Resolves when the first agent has arrived. */
  readonly reached: Promise<void>
  open(): void
}

export interface Gates {
  gate(name: string): Gate
  /** Waits at the named gate if the message is `gate <name>`; returns at once otherwise. */
  pass(message: string): Promise<void>
  openAll(): void
}

export function createGates(): Gates {
  const gates = new Map<string, { arrived: PromiseWithResolvers<void>; opened: PromiseWithResolvers<void> }>()
  const find = (name: string) => {
    const known = gates.get(name) ?? { arrived: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() }
    gates.set(name, known)
    return known
  }
  return {
    gate: (name) => {
      const { arrived, opened } = find(name)
      return { reached: arrived.promise, open: () => opened.resolve() }
    },
    pass: async (message) => {
      if (!message.startsWith('gate ')) return
      const { arrived, opened } = find(message.slice('gate '.length))
      arrived.resolve()
      await opened.promise
    },
    openAll: () => {
      for (const { opened } of gates.values()) opened.resolve()
    },
  }
}
