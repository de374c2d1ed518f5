import type { Random } from '../random.ts'

/** Faults of worlds in which several processes share the store. One process has none of them. */
export interface WorkerRates {
  /** The number of processes. */
  readonly workers: number
  /** Average time between two halts of a process; 0: none. */
  readonly freezeMs: number
  /** Per long halt: another process is started in place of the halted one. */
  readonly replace: number
  /** Average time between two cuts of a process from the store; 0: none. */
  readonly cutMs: number
  /** The clock of a process differs from that of the store by up to this time. */
  readonly skewMs: number
  /** Average time between two requests of jobs, some of them in lanes. */
  readonly errandMs: number
  /** Per run: for a while its briefs cannot be claimed. */
  readonly unclaimable: number
}

/** Draws of their own, so that a world with one process is the same as before there were others. */
export function drawWorkerRates(random: Random, workers: number | null): WorkerRates {
  const some = (share: number, ...values: readonly number[]): number => (random.chance(share) ? random.pick(values) : 0)
  const drawn = random.chance(0.2) ? random.pick([2, 2, 2, 3]) : 1
  const rates = {
    workers: workers ?? drawn,
    freezeMs: some(0.5, 60_000, 200_000),
    replace: some(0.6, 0.3, 0.8),
    cutMs: some(0.5, 60_000, 200_000),
    skewMs: some(0.6, 1_000, 300_000),
    errandMs: some(0.7, 10_000, 30_000),
    unclaimable: some(0.2, 0.3),
  }
  return rates.workers === 1 ? { workers: 1, ...none } : rates
}

const none = { freezeMs: 0, replace: 0, cutMs: 0, skewMs: 0, errandMs: 0, unclaimable: 0 }
