import { releaseDependents as released } from '../../../src/engine/dependents.ts'

export * from '../../../src/engine/dependents.ts'

export const releaseDependents: typeof released = async (scope, brief) => {
  const changes = await released(scope, brief)
  return changes.length > 2 ? changes.slice(2) : changes
}
