/** A bug: replacements of modules. Each file re-exports its module and breaks one function. */
export interface Bug {
  readonly description: string
  /** Maps the module, by its path from `src/`, to the file beside this one that replaces it. */
  readonly replaces: Readonly<Record<string, string>>
  /** The playbook whose worlds lead to it; `direct` without one. */
  readonly playbook?: 'tiered'
  /** Only worlds with repositories lead to it. */
  readonly withGit?: true
  /** Only worlds whose organisation has a lead lead to it. */
  readonly withLead?: true
  /** The number of processes on the store in the worlds that lead to it; 1 without one. */
  readonly workers?: number
  /** Found only after several hundred seeds: too many for every test run. */
  readonly isRare?: boolean
}

/** Bugs that the simulation has to find. They replace imports, because switches in the product would complicate it. */
export const bugs: Readonly<Record<string, Bug>> = {
  'fence-not-checked': {
    description: 'an agent writes although its brief has a newer attempt',
    replaces: { 'work/attempts/store.ts': 'fence-not-checked.ts' },
  },
  'dependency-met-early': {
    description: 'a dependent brief starts when its dependency is reported, not when it is verified',
    replaces: { 'work/briefs/moves.ts': 'dependency-met-early.ts' },
  },
  'no-sweep': {
    description: 'a lost wake-up is never made up for',
    replaces: { 'engine/loop/engine.ts': 'no-sweep.ts' },
  },
  'released-on-reject': {
    description: 'a rejected gate releases the run',
    replaces: { 'playbooks/direct/decide.ts': 'released-on-reject.ts' },
  },
  'rejected-is-approved': {
    description: 'a rejection counts as an approval',
    replaces: { 'work/gates/decide.ts': 'rejected-is-approved.ts' },
  },
  'budget-after-launch': {
    description: 'an agent starts before the budget is checked',
    replaces: { 'work/budgets/arithmetic.ts': 'budget-after-launch.ts' },
  },
  'budget-not-given-back': {
    description: 'the unused reservation of an attempt is not released',
    replaces: { 'work/budgets/moves.ts': 'budget-not-given-back.ts' },
  },
  'verdict-counted-twice': {
    description: 'a failed verification counts as two',
    replaces: { 'work/briefs/moves.ts': 'verdict-counted-twice.ts' },
  },
  'event-outside': {
    description: 'an event is written after the transaction that it describes',
    replaces: { 'events/append.ts': 'event-outside/append.ts', 'compose.ts': 'event-outside/compose.ts' },
  },
  'retry-not-counted': {
    description: 'a retry after bad output is not counted',
    replaces: { 'work/briefs/moves.ts': 'retry-not-counted.ts' },
  },
  'notes-ignored': {
    description: 'work counts as done while its notes are open',
    replaces: { 'work/notes/review.ts': 'notes-ignored.ts' },
  },
  'evidence-skipped': {
    description: 'evidence is accepted without a check',
    replaces: { 'engine/evidence/check.ts': 'evidence-skipped.ts' },
  },
  'interrupted-as-crash': {
    description: 'a crash of the daemon is counted as a crash of the agent',
    replaces: { 'engine/outcome/end.ts': 'interrupted-as-crash.ts' },
  },
  'attempt-forgotten': {
    description: 'one attempt of an earlier process is not recovered',
    replaces: { 'work/attempts/store.ts': 'attempt-forgotten.ts' },
  },
  'dependents-not-released': {
    description: 'the last of several dependents is not released by a verified brief',
    replaces: { 'work/briefs/dependents.ts': 'dependents-not-released.ts' },
  },
  'quorum-ignored': {
    description: 'one approval is enough when several are needed',
    replaces: { 'work/gates/open.ts': 'quorum-ignored.ts' },
  },
  'stale-verdict': {
    description: 'a verdict about an earlier attempt counts',
    replaces: { 'work/verdicts/subject.ts': 'stale-verdict.ts' },
    playbook: 'tiered',
    workers: 2,
  },
  'cancelled-works-on': {
    description: 'the agents of a cancelled run keep working',
    replaces: { 'work/attempts/end-live.ts': 'cancelled-works-on.ts' },
  },
  'answer-without-effect': {
    description: 'an answered question leaves its brief blocked',
    replaces: { 'work/briefs/unblock.ts': 'answer-without-effect.ts' },
  },
  'plan-not-waited-for': {
    description: 'planned work starts before the plan is approved',
    replaces: { 'playbooks/direct/decide.ts': 'plan-not-waited-for.ts' },
  },
  'calls-lost': {
    description: 'the last calls of an agent do not reach the ledger',
    replaces: { 'engine/attempt/spending.ts': 'calls-lost.ts' },
  },
  'mission-budget-ignored': {
    description: 'the budget of a mission limits nothing',
    replaces: { 'work/budgets/moves.ts': 'mission-budget-ignored.ts' },
  },
  'lost-answer-repeated': {
    description: 'a record whose answer was lost is written again',
    replaces: { 'work/spends/store.ts': 'lost-answer-repeated.ts' },
  },
  'report-thrown-away': {
    description: 'a report is thrown away when the daemon dies before its agent ends',
    replaces: { 'engine/attempt/classify-end.ts': 'report-thrown-away.ts' },
  },
  'checked-in-workspace': {
    description: 'a file that a check writes counts as delivered',
    replaces: { 'engine/evidence/check.ts': 'checked-in-workspace.ts' },
  },
  'examination-forgotten': {
    description: 'evidence that was being checked when the daemon died is never checked again',
    replaces: { 'work/attempts/hold.ts': 'examination-forgotten.ts' },
  },
  'agents-live-on': {
    description: 'the agents of ended attempts are not interrupted',
    replaces: {
      'engine/loop/engine.ts': 'agents-live-on/engine.ts',
      'work/attempts/store.ts': 'agents-live-on/attempts.ts',
    },
  },
  'asked-twice': {
    description: 'the same question is asked twice',
    replaces: { 'work/questions/ask.ts': 'asked-twice.ts' },
  },
  'no-net': {
    description: 'a result is forgotten because the playbook throws',
    replaces: { 'engine/outcome/fault.ts': 'no-net.ts' },
  },
  'quota-as-crash': {
    description: 'a limit of the provider is counted as a crash of the agent',
    replaces: { 'engine/attempt/classify-end.ts': 'quota-as-crash.ts' },
  },
  'merged-onto-branch': {
    description: 'a merge builds on the branch instead of the recorded head',
    replaces: { 'engine/git/integrate.ts': 'merged-onto-branch.ts' },
    withGit: true,
  },
  'cancelled-merged': {
    description: 'the work of a cancelled brief is merged with the next one',
    replaces: { 'engine/git/integrate.ts': 'cancelled-merged.ts' },
    withGit: true,
  },
  'evidence-of-clone': {
    description: 'evidence is checked in the clone of the agent instead of the collected commit',
    replaces: { 'engine/examination/check.ts': 'evidence-of-clone.ts' },
    withGit: true,
  },
  'landed-by-force': {
    description: 'a result lands although main has moved',
    replaces: { '../test/sim/repositories/move-refs.ts': 'landed-by-force.ts' },
    withGit: true,
  },
  'landed-unproven': {
    description: 'a result that was merged with new commits of main lands without a proof',
    replaces: { 'work/proofs/landing.ts': 'landed-unproven.ts' },
    withGit: true,
  },
  'clones-left': {
    description: 'the clones of an ended run stay',
    replaces: { 'engine/git/clean.ts': 'clones-left.ts' },
    withGit: true,
  },
  'boot-not-checked': {
    description: 'a process that was replaced sends heartbeats in the name of its successor',
    replaces: { 'engine/workers-store.ts': 'workers/boot-not-checked.ts' },
    workers: 2,
  },
  'no-self-fence': {
    description: 'the agents of a process that is cut off from the store work on',
    replaces: { 'engine/loop/heartbeat.ts': 'workers/no-self-fence.ts' },
    workers: 2,
  },
  'taken-over-early': {
    description: 'the work of a process that lives is taken over',
    replaces: { 'engine/workers-store.ts': 'workers/taken-over-early.ts' },
    workers: 2,
  },
  'input-of-first-attempt': {
    description: 'an attempt records another version of a handed-over file than it saw',
    replaces: { 'engine/attempt/handover.ts': 'input-of-first-attempt.ts' },
  },
  'hop-without-holder': {
    description: 'a hop names a seat that is vacant',
    replaces: { 'work/questions/hop.ts': 'lead/hop-without-holder.ts' },
    withLead: true,
  },
  'asks-the-asker': {
    description: 'a question is handed to the persona that asked it',
    replaces: { 'work/questions/climb.ts': 'lead/asks-the-asker.ts' },
    withLead: true,
  },
  'released-early': {
    description: 'a brief that asked several questions continues after the first answer',
    replaces: { 'work/questions/store.ts': 'lead/released-early.ts' },
    withLead: true,
  },
  'unfair-claims': {
    description: 'the oldest run takes every slot',
    replaces: { 'work/briefs/ready-store.ts': 'unfair-claims.ts' },
    isRare: true,
  },
}
