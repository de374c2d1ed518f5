import type { Range, ReadyBrief } from '../../work/briefs/ready-store.ts'

export type Rotation = ReturnType<typeof createRotation>

/** Where the turns of the runs of one priority have come to. */
interface Round {
  /** The run that had its turn last. */
  after: string
  /** Runs above it did not exist when this round began: they wait for the next one, or old runs would never be reached. */
  until: string
}

/**
 * Lets the runs of each priority take turns: a round goes through them from the oldest to the youngest. In memory,
 * because a process that starts may begin anywhere.
 */
export function createRotation() {
  /** By rank of the priority, the digit that the order of claims begins with. */
  const rounds = new Map<number, Round>()

  return {
    /** Returns the order of claims in ranges: of each priority first the rest of its round, then the next round. */
    ranges(): Range[] {
      const ranges: Range[] = []
      let low = ''
      for (const [rank, { after, until }] of [...rounds].sort(([a], [b]) => a - b)) {
        const [first, next] = [String(rank), String(rank + 1)]
        if (low !== first) ranges.push({ low, high: first })
        ranges.push({ low: after, high: until }, { low: first, high: after }, { low: until, high: next })
        low = next
      }
      return [...ranges, { low, high: '~' }]
    },

    /**
     * Remembers the turns that these briefs are, found in `ranges`. `lastOf` returns the last place that a running run of
     * a rank has: the time would not do, because the clock may have been set back since that run began.
     */
    async take(
      ready: readonly ReadyBrief[],
      ranges: readonly Range[],
      lastOf: (rank: number) => Promise<string>,
    ): Promise<void> {
      const last = new Map<number, ReadyBrief>()
      for (const each of ready) {
        const rank = Number(each.claimOrder[0])
        const known = last.get(rank)
        if (known === undefined || isBefore(known, each)) last.set(rank, each)
      }
      for (const [rank, { claimOrder, range }] of last) {
        const round = rounds.get(rank)
        const goesOn = round !== undefined && ranges[range]?.low === round.after && ranges[range]?.high === round.until
        rounds.set(rank, { after: claimOrder, until: goesOn ? round.until : await lastOf(rank) })
      }
    },
  }
}

const isBefore = (a: ReadyBrief, b: ReadyBrief): boolean =>
  a.range < b.range || (a.range === b.range && a.claimOrder < b.claimOrder)
