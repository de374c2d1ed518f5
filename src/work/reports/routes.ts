import { bind, type Route } from '../../operations/bind.ts'
import { reportOperations } from './contract.ts'
import type { Reports } from './service.ts'

export const reportRoutes = (reports: Reports): Route[] =>
  bind(reportOperations, {
    make: (_, { runId, format }) => reports.make(runId, format),
  })
