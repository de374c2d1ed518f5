import { bind, type Route } from '../../operations/bind.ts'
import { stopOperations } from './contract.ts'
import type { Stops } from './service.ts'

export const stopRoutes = (stops: Stops): Route[] =>
  bind(stopOperations, {
    list: () => stops.list(),
    set: (by, { organisation, reason }) => stops.set(by, organisation, reason),
    clear: (by, { organisation }) => stops.clear(by, organisation),
  })
