import { bind, type Route } from '../../operations/bind.ts'
import { repeatOperations } from './contract.ts'
import type { Repeats } from './service.ts'

export const repeatRoutes = (repeats: Repeats): Route[] =>
  bind(repeatOperations, {
    start: (by, { runId, head }) => repeats.start(by, runId, head),
    show: (_, { runId, repeatId }) => repeats.show(runId, repeatId),
    cancel: (by, { runId, repeatId }) => repeats.cancel(by, runId, repeatId),
  })
