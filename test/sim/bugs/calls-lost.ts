import { createSpending as created } from '../../../src/engine/attempt/spending.ts'

export * from '../../../src/engine/attempt/spending.ts'

export const createSpending: typeof created = (deps, claimed, refuse) => {
  const spending = created(deps, claimed, refuse)
  return {
    ...spending,
    rest: async () => {
      await spending.rest()
      return []
    },
  }
}
