import type { Random } from './random.ts'

/** What kind of day it is. Each seed has only some kinds of trouble: all at once hide each other. */
export interface Temper {
  /** Of an attempt: that its agent does not simply do well. */
  readonly badAgent: number
  readonly badVerifier: number
  readonly badPlanner: number
  /** Of a transaction of the daemon's: that it dies over it. */
  readonly deathByCommit: number
  /** Of a named point between two commits. */
  readonly deathByChaosPoint: number
  /** Of an operator's turn: that the daemon is stopped in good order. */
  readonly stop: number
  readonly lostWake: number
  readonly doubleWake: number
  /** Of a transaction: that the disk is full at that moment. */
  readonly fullDisk: number
  /** Of an attempt: that its agent comes back when nobody waits for it any more. */
  readonly ghost: number
  /** Of a survivor: that it cannot be killed. */
  readonly escape: number
  /** Between two turns of the operator's. */
  readonly operatorMs: number
  readonly isOperatorSilent: boolean
  readonly doubleClick: number
  readonly cancel: number
  /** Of an operator's turn: that everything is stopped, or goes on. */
  readonly stopAll: number
  /** Of an operator's turn: that somebody gets a budget. */
  readonly limit: number
  readonly busyMs: number
}

export function drawTemper(random: Random): Temper {
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
    ghost: some(0.5, 0.3, 0.8),
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
