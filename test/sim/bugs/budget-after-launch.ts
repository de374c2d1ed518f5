import { nothing, reserve as reserved } from '../../../src/work/budgets/arithmetic.ts'

export * from '../../../src/work/budgets/arithmetic.ts'

/** Reserves nothing and refuses nothing at launch; only the first call is checked. */
export const reserve: typeof reserved = (own, above, held) =>
  held === undefined ? { amount: nothing } : reserved(own, above, held)
