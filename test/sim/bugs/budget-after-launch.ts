import { nothing, reserve as reserved } from '../../../src/engine/money.ts'

export * from '../../../src/engine/money.ts'

/** Reserves nothing and refuses nothing at launch; only the first call is checked. */
export const reserve: typeof reserved = (own, above, held) =>
  held === undefined ? { amount: nothing } : reserved(own, above, held)
