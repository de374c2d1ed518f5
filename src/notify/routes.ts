import { bind, type Route } from '../operations/bind.ts'
import { notifyOperations } from './contract.ts'
import type { Notify } from './service.ts'

export const notifyRoutes = (notify: Notify): Route[] =>
  bind(notifyOperations, {
    list: (_, { status, limit }) => notify.list(status, limit),
    test: (_, { adapter }) => notify.test(adapter),
  })
