import { bind, type Route } from '../../operations/bind.ts'
import { routingOperations } from './contract.ts'
import type { Routing } from './service.ts'

export const routingRoutes = (routing: Routing): Route[] =>
  bind(routingOperations, {
    whoami: (by, { persona, org }) => routing.whoami(by, persona, org),
    route: (by, { from, to, org }) => routing.route(by, from, to, org),
  })
