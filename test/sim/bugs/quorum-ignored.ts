import { openGate as opened } from '../../../src/work/gates/open.ts'

export * from '../../../src/work/gates/open.ts'

export const openGate: typeof opened = async (scope, wanted) => {
  const { configuration } = scope.run
  scope.run = { ...scope.run, configuration: { ...configuration, approvalsNeeded: 1 } }
  const gate = await opened(scope, wanted)
  scope.run = { ...scope.run, configuration }
  return gate
}
