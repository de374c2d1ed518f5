import { integrate as integrated } from '../../../src/engine/git/integrate.ts'

/** The commits that merges moved the branches to, recorded or not. */
const branches = new Map<string, string>()

/** Builds each merge on the branch instead of the recorded head: a merge that was never recorded stays in the result. */
export const integrate: typeof integrated = (deps, runId) => {
  const { repositories } = deps
  if (repositories === undefined) return integrated(deps, runId)
  const merge: typeof repositories.merge = async (merged) => {
    const into = merged.into.map((each) => ({ ...each, head: branches.get(each.branch) ?? each.head }))
    const result = await repositories.merge({ ...merged, into })
    if (result.outcome === 'merged')
      for (const [index, { branch }] of into.entries()) branches.set(branch, result.commits[index] as string)
    return result
  }
  return integrated({ ...deps, repositories: { ...repositories, merge } }, runId)
}
