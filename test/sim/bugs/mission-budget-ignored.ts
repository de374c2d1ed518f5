import { openAccounts as opened } from '../../../src/work/budgets/moves.ts'

export * from '../../../src/work/budgets/moves.ts'

export const openAccounts: typeof opened = async (scope, found, attemptId) =>
  (await opened(scope, found, attemptId)).filter(({ budget }) => budget.scope !== 'mission')
