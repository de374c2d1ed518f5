/** A bug: functions of these modules, replaced. Each file re-exports its module and breaks one thing of it. */
export interface Bug {
  readonly what: string
  /** From the module, below `src/`, to the file beside this one that takes its place. */
  readonly replaces: Readonly<Record<string, string>>
  /** Takes some hundred seeds: too many for every test run. */
  readonly isRare?: boolean
}

/** What the simulation has to find. A seam in the product would be in everybody's way; an import is a seam already. */
export const bugs: Readonly<Record<string, Bug>> = {
  'fence-not-checked': {
    what: 'an agent writes although its brief has gone on without it',
    replaces: { 'work/attempts/store.ts': 'fence-not-checked.ts' },
  },
  'dependency-met-early': {
    what: 'whoever waits for a brief starts when it is reported, not when it is verified',
    replaces: { 'engine/scope.ts': 'dependency-met-early.ts' },
  },
  'no-sweep': {
    what: 'a wake-up that got lost is never made up for',
    replaces: { 'engine/engine.ts': 'no-sweep.ts' },
  },
  'released-on-reject': {
    what: 'a gate lets the run go on when it is rejected',
    replaces: { 'playbooks/direct/decide.ts': 'released-on-reject.ts' },
  },
  'rejected-is-approved': {
    what: 'whoever rejects approves',
    replaces: { 'engine/gates.ts': 'rejected-is-approved.ts' },
  },
  'budget-after-launch': {
    what: 'an agent starts before anybody has looked whether there is something left to spend',
    replaces: { 'engine/money.ts': 'budget-after-launch.ts' },
  },
  'budget-not-given-back': {
    what: 'what an attempt did not use stays set aside for it',
    replaces: { 'engine/budgets.ts': 'budget-not-given-back.ts' },
  },
  'verdict-counted-twice': {
    what: 'a failed verification counts as two',
    replaces: { 'engine/scope.ts': 'verdict-counted-twice.ts' },
  },
  'event-outside': {
    what: 'an event is written after the transaction that it tells of',
    replaces: { 'events/append.ts': 'event-outside/append.ts', 'compose.ts': 'event-outside/compose.ts' },
  },
  'retry-not-counted': {
    what: 'work that does not hold is tried again without being counted',
    replaces: { 'engine/scope.ts': 'retry-not-counted.ts' },
  },
  'notes-ignored': {
    what: 'work counts as done with its notes open',
    replaces: { 'engine/notes.ts': 'notes-ignored.ts' },
  },
  'evidence-skipped': {
    what: 'evidence is believed, not looked at',
    replaces: { 'engine/evidence.ts': 'evidence-skipped.ts' },
  },
  'interrupted-as-crash': {
    what: 'our own death is counted as the agent’s fault',
    replaces: { 'engine/end.ts': 'interrupted-as-crash.ts' },
  },
  'attempt-forgotten': {
    what: 'of what an earlier life left behind, one is not taken up',
    replaces: { 'work/attempts/store.ts': 'attempt-forgotten.ts' },
  },
  'dependents-not-released': {
    what: 'the last of several that wait for a brief is not told that it is verified',
    replaces: { 'engine/dependents.ts': 'dependents-not-released.ts' },
  },
  'quorum-ignored': {
    what: 'one approval is enough, however many are needed',
    replaces: { 'engine/halt.ts': 'quorum-ignored.ts' },
  },
  'stale-verdict': {
    what: 'a verdict about work that has gone on still counts',
    replaces: { 'engine/verify.ts': 'stale-verdict.ts' },
    isRare: true,
  },
  'cancelled-works-on': {
    what: 'the agents of a cancelled run go on',
    replaces: { 'engine/live.ts': 'cancelled-works-on.ts' },
  },
  'answer-without-effect': {
    what: 'a question is answered, and its brief stays blocked',
    replaces: { 'engine/unblocked.ts': 'answer-without-effect.ts' },
  },
  'plan-not-waited-for': {
    what: 'what an agent planned starts before the plan is approved',
    replaces: { 'playbooks/direct/decide.ts': 'plan-not-waited-for.ts' },
  },
}
