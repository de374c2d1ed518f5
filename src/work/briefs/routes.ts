import { bind, type Route } from '../../operations/bind.ts'
import { briefOperations } from './contract.ts'
import type { Briefs } from './service.ts'

export const briefRoutes = (briefs: Briefs): Route[] =>
  bind(briefOperations, {
    list: (_, { status, limit }) => briefs.list(status, limit),
    show: (by, { briefId }) => briefs.show(by, briefId),
    update: (by, { briefId, status, reason, goalAnchor }) => briefs.update(by, briefId, status, reason, goalAnchor),
  })
