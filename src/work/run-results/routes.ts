import { bind, type Route } from '../../operations/bind.ts'
import { runResultOperations } from './contract.ts'
import type { RunResults } from './service.ts'

export const runResultRoutes = (results: RunResults): Route[] =>
  bind(runResultOperations, {
    show: (_, { runId, ...page }) => results.show(runId, page),
  })
