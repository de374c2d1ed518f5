import { bind, type Route } from '../../operations/bind.ts'
import { budgetOperations } from './contract.ts'
import type { Budgets } from './service.ts'

export const budgetRoutes = (budgets: Budgets): Route[] =>
  bind(budgetOperations, {
    list: (_, { scope, limit, organisationId }) => budgets.list(scope, limit, organisationId),
    set: (by, input) => budgets.set(by, input),
  })
