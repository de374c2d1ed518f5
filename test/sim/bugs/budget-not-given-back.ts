import type { giveBack as given } from '../../../src/engine/budgets.ts'

export * from '../../../src/engine/budgets.ts'

export const giveBack: typeof given = async () => []
