import type { Random } from '../random.ts'

/** Probabilities in a world with repositories. Each seed has only some kinds of faults. */
export interface GitRates {
  /** Per run: it has a repository. */
  readonly repository: number
  /** Per operation of git: it takes up to a minute, in which others act. */
  readonly slow: number
  /** Per operation of git: it fails, before or after its effect. */
  readonly fault: number
  /** Per checkout: it cannot be made. */
  readonly lostCheckout: number
  /** Per merge of a brief: the operator cancels the brief meanwhile. */
  readonly cancelMerging: number
  /** Average time between two acts of the operator in the repository; 0: none. */
  readonly operatorMs: number
  /** Per commit of the operator: it changes the file that agents change too. */
  readonly operatorConflict: number
  /** Per attempt: the agent changes a file that others change too. */
  readonly conflict: number
  /** Per attempt: the agent claims a name that only one brief may claim: each is right alone, both are wrong together. */
  readonly claim: number
  /** Per attempt: the agent leaves its work where git ignores it, or removes its repository. */
  readonly hide: number
  /** Per landing: the operator commits between the moment when git looks at main and the moment when it moves it. */
  readonly race: number
}

export function drawGitRates(random: Random): GitRates {
  const some = (share: number, ...values: readonly number[]): number => (random.chance(share) ? random.pick(values) : 0)
  return {
    repository: random.pick([0.7, 1, 1]),
    slow: some(0.6, 0.2, 0.6),
    fault: some(0.35, 0.1, 0.3),
    lostCheckout: some(0.15, 0.05, 0.2),
    cancelMerging: some(0.4, 0.2, 0.6),
    operatorMs: some(0.6, 10_000, 60_000),
    operatorConflict: some(0.4, 0.2, 0.6),
    conflict: some(0.5, 0.2, 0.6),
    claim: some(0.4, 0.3, 0.8),
    hide: some(0.3, 0.1, 0.3),
    race: some(0.4, 0.3, 0.8),
  }
}
