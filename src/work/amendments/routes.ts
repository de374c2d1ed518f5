import { bind, type Route } from '../../operations/bind.ts'
import { amendmentOperations } from './contract.ts'
import type { Amendments } from './service.ts'

export const amendmentRoutes = (amendments: Amendments): Route[] =>
  bind(amendmentOperations, {
    amend: (by, input) => amendments.amend(by, input),
    amendPlan: (by, input) => amendments.amendPlan(by, input),
  })
