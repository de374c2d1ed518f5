/** What people did, and what they were told about it: the other side of what the store says. */
export interface Act {
  readonly kind: 'approve' | 'reject' | 'answer' | 'resume' | 'pause' | 'cancel' | 'stop' | 'clear' | 'limit'
  readonly target: string
  readonly by: string
  /** Of one that stays under way, the daemon died over it: it may have happened or not. */
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
