import type { Random } from './random.ts'

/** Probabilities of faults in a world. Each seed has only some kinds, because faults of all kinds hide each other. */
export interface FaultRates {
  /** Per attempt: the agent misbehaves. */
  readonly badAgent: number
  readonly badVerifier: number
  readonly badPlanner: number
  /** Per transaction: the daemon dies during it. */
  readonly deathByCommit: number
  /** Per chaos point between two commits: the daemon dies there. */
  readonly deathByChaosPoint: number
  /** Per operator's turn: the daemon is stopped cleanly. */
  readonly stop: number
  readonly lostWake: number
  readonly doubleWake: number
  /** Per transaction: the disk is full at that moment. */
  readonly fullDisk: number
  /** Per attempt: the agent sends requests after its attempt has ended. */
  readonly staleAgent: number
  /** Per surviving agent: it cannot be killed. */
  readonly escape: number
  /** Average time between two turns of the operator. */
  readonly operatorMs: number
  readonly isOperatorSilent: boolean
  readonly doubleClick: number
  readonly cancel: number
  /** Per operator's turn: everything is stopped, or released. */
  readonly stopAll: number
  /** Per operator's turn: a persona gets a budget. */
  readonly limit: number
  readonly busyMs: number
  /** Per operator's turn: a budget of a run, a mission, the organisation or a persona is set, raised or removed. */
  readonly mixedBudget: number
  /** Per transaction: it is committed, but the answer is lost. */
  readonly lostAnswer: number
  /** Per read: the store does not answer. */
  readonly failedRead: number
  /** Per command of evidence: it takes up to two minutes. */
  readonly slowEvidence: number
  /** Average time between two deaths of the daemon at any moment; 0: none. */
  readonly deathMs: number
  /** Per decision: the playbook throws. */
  readonly playbookFault: number
  /** Per decision about one kind of event, which is drawn too: the playbook throws for ever. */
  readonly playbookGrudge: number
  /** Per attempt: the provider rejects further calls of its agent. */
  readonly quota: number
  /** Per operator's turn: the clock jumps by up to an hour. */
  readonly clockJump: number
}

/** `isPlain` leaves out the kinds of faults that were added later, so that an old seed repeats its world. */
export const drawFaultRates = (random: Random, isPlain: boolean): FaultRates => ({
  ...drawOldRates(random),
  ...drawNewRates(random.about('new'), isPlain),
})

/** Independent of the first draws: a kind that is added here changes no draw of the others if it comes last. */
function drawNewRates(random: Random, isPlain: boolean): Omit<FaultRates, keyof OldRates> {
  const some = (share: number, ...values: readonly number[]): number =>
    random.chance(share) && !isPlain ? random.pick(values) : 0
  return {
    mixedBudget: some(0.3, 0.2, 0.5),
    lostAnswer: some(0.2, 0.01, 0.04),
    failedRead: some(0.15, 0.01, 0.03),
    slowEvidence: some(0.3, 0.3, 1),
    deathMs: some(0.25, 30_000, 120_000),
    playbookFault: some(0.15, 0.01, 0.1),
    playbookGrudge: some(0.08, 1),
    quota: some(0.2, 0.05, 0.3),
    clockJump: some(0.15, 0.05, 0.3),
  }
}

type OldRates = ReturnType<typeof drawOldRates>

function drawOldRates(random: Random) {
  const some = (share: number, ...values: readonly number[]): number => (random.chance(share) ? random.pick(values) : 0)
  return {
    badAgent: some(0.75, 0.15, 0.4, 0.7),
    badVerifier: some(0.7, 0.2, 0.5, 0.8),
    badPlanner: some(0.6, 0.3, 0.6),
    deathByCommit: some(0.5, 0.01, 0.03, 0.08),
    deathByChaosPoint: some(0.4, 0.01, 0.03, 0.06),
    stop: some(0.25, 0.05, 0.15),
    lostWake: some(0.4, 0.2, 0.6, 1),
    doubleWake: some(0.3, 0.5),
    fullDisk: some(0.15, 0.02, 0.05),
    staleAgent: some(0.5, 0.3, 0.8),
    escape: some(0.4, 0.5),
    operatorMs: random.pick([5_000, 20_000, 60_000]),
    isOperatorSilent: random.chance(0.1),
    doubleClick: some(0.5, 0.3, 0.7),
    cancel: some(0.3, 0.05, 0.15),
    stopAll: some(0.15, 0.3),
    limit: some(0.2, 0.3),
    busyMs: random.pick([60_000, 240_000, 600_000]),
  }
}
