import type { proveLanding as proved } from '../../../src/work/proofs/landing.ts'
import { touchRun } from '../../../src/work/runs/moves.ts'

export * from '../../../src/work/proofs/landing.ts'

export const proveLanding: typeof proved = async (scope, { commit, target }) => {
  const data = { commit, branch_commit: target }
  await touchRun(scope, { head: commit }, { kind: 'branch_merged', message: 'not proven', data })
}
