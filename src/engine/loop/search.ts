import type { ReadTx } from '../../db/port.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { findLastPlace, findWork, type FullKey, type Work } from '../../work/briefs/ready-store.ts'
import { createCaps } from './caps.ts'
import { createPauses, type Pauses } from './pauses.ts'
import { createRotation } from './rotation.ts'

/** Finds the briefs that may start now, in the order in which they are to be claimed. */
export interface Search {
  readonly pauses: Pauses
  findWork(tx: ReadTx, limit: number): Promise<Work>
}

/**
 * Finds work behind ready briefs that wait for a slot in their own run: there may be thousands of them, and briefs
 * behind them in the order must not wait too. Keys that were full the last time are checked first, so that a round
 * usually needs one query. The result is only a guess: `withinCaps` decides.
 */
export function createSearch(clock: Pick<Clock, 'nowMs'>, playbooks: ReadonlyMap<string, Playbook>): Search {
  const caps = createCaps(playbooks)
  const rotation = createRotation()
  const pauses = createPauses(clock)
  let full: readonly FullKey[] = []

  return {
    pauses,
    async findWork(tx, limit) {
      full = await caps.fullAmong(tx, full)
      const ranges = rotation.ranges()
      const paused = pauses.runIds().map((runId) => ({ runId, capKey: null }))
      for (;;) {
        const work = await findWork(tx, { limit, full: [...full, ...paused], ranges })
        const more = await caps.fullAmong(
          tx,
          work.ready.filter(({ capKey }) => capKey !== null),
        )
        if (more.length === 0) {
          await rotation.take(work.ready, ranges, (rank) => findLastPlace(tx, rank))
          return work
        }
        full = [...full, ...more]
      }
    },
  }
}
