import { nothing, reserve as reserved } from '../../../src/work/budgets/arithmetic.ts'

export * from '../../../src/work/budgets/arithmetic.ts'

/** Reserves nothing and refuses nothing at launch; only the first call is checked. */
export const reserve: typeof reserved = (accounts) =>
  accounts.some(({ holdings }) => holdings.length > 0) ? reserved(accounts) : { amounts: accounts.map(() => nothing) }
