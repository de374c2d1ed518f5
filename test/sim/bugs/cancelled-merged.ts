import { integrate as integrated } from '../../../src/engine/git/integrate.ts'
import { listBriefs } from '../../../src/work/briefs/store.ts'

/** Merges the collected work of cancelled briefs together with the next brief. */
export const integrate: typeof integrated = (deps, runId) => {
  const { repositories } = deps
  if (repositories === undefined) return integrated(deps, runId)
  const merge: typeof repositories.merge = async (merged) => {
    const [first, ...above] = merged.into
    if (first === undefined) return repositories.merge(merged)
    let { head } = first
    const all = await deps.db.read((tx) => listBriefs(tx, runId))
    for (const { status, branchCommit } of all) {
      if (status !== 'cancelled' || branchCommit === null) continue
      const into = [{ ...first, head }]
      const result = await repositories.merge({ ...merged, commit: branchCommit, into })
      if (result.outcome === 'merged') head = result.commits[0] as string
    }
    return repositories.merge({ ...merged, into: [{ ...first, head }, ...above] })
  }
  return integrated({ ...deps, repositories: { ...repositories, merge } }, runId)
}
