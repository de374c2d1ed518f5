import { createSpending as created } from '../../../src/engine/attempt/spending.ts'

export * from '../../../src/engine/attempt/spending.ts'

export const createSpending: typeof created = (...parts) => {
  const spending = created(...parts)
  return {
    ...spending,
    rest: async () => {
      await spending.rest()
      return []
    },
  }
}
