/** An action of a person and the answer to it, for a comparison with the store. */
export interface Act {
  readonly kind: 'approve' | 'reject' | 'answer' | 'resume' | 'pause' | 'cancel' | 'stop' | 'clear' | 'limit' | 'reseat'
  readonly target: string
  readonly by: string
  /** An act stays `under way` if the daemon died during it: it may or may not have taken effect. */
  result: 'under way' | 'done' | 'refused'
  detail: string
}

export interface Acts {
  readonly all: readonly Act[]
  begin(kind: Act['kind'], target: string, by: string): Act
  of(kind: Act['kind'], target: string): Act[]
}

export function createActs(): Acts {
  const all: Act[] = []
  return {
    all,
    begin(kind, target, by) {
      const act: Act = { kind, target, by, result: 'under way', detail: '' }
      all.push(act)
      return act
    },
    of: (kind, target) => all.filter((act) => act.kind === kind && act.target === target),
  }
}
