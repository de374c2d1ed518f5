import { releaseDependents as released } from '../../../src/work/briefs/dependents.ts'

export * from '../../../src/work/briefs/dependents.ts'

export const releaseDependents: typeof released = async (scope, brief) => {
  const changes = await released(scope, brief)
  return changes.length > 2 ? changes.slice(2) : changes
}
