import { bind, type Route } from '../../operations/bind.ts'
import { spendOperations } from './contract.ts'
import type { Spends } from './service.ts'

export const spendRoutes = (spends: Spends): Route[] =>
  bind(spendOperations, {
    summary: (_, query) => spends.summary(query),
    list: (_, { runId, limit }) => spends.list(runId, limit),
  })
