import { nothing, reserve as reserved } from '../../../src/engine/money.ts'

export * from '../../../src/engine/money.ts'

/** At its launch an attempt is given nothing and refused nothing; only its first call is looked at. */
export const reserve: typeof reserved = (own, above, held) =>
  held === undefined ? { amount: nothing } : reserved(own, above, held)
