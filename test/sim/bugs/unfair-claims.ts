import { findWork as found } from '../../../src/work/briefs/ready-store.ts'

export * from '../../../src/work/briefs/ready-store.ts'

/** Claims the briefs of the oldest run first, as long as it has any. */
export const findWork: typeof found = async (tx, look) => {
  const work = await found(tx, { ...look, limit: look.limit === 0 ? 0 : 1_000 })
  const ready = work.ready.toSorted((a, b) => (a.claimOrder < b.claimOrder ? -1 : a.claimOrder > b.claimOrder ? 1 : 0))
  return { ...work, ready: ready.slice(0, look.limit) }
}
