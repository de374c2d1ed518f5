import { bind, type Route } from '../../operations/bind.ts'
import { runOperations } from './contract.ts'
import { checkAnchor } from './anchor.ts'
import type { Continuations } from '../continuations/service.ts'
import type { Runs } from './service.ts'

export const runRoutes = (runs: Runs, continuations: Continuations): Route[] =>
  bind(runOperations, {
    create: (by, input) => runs.create(by, input),
    list: (_, query) => runs.list(query),
    show: (_, { runId }) => runs.show(runId),
    update: async (_, { runId, goalAnchor }) => checkAnchor(await runs.show(runId), goalAnchor),
    configuration: async (_, { runId }) => (await runs.show(runId)).configuration,
    inspect: (_, { runId, events }) => runs.inspect(runId, events),
    retry: (by, { runId, ...query }) => continuations.retry(by, runId, query),
    dismiss: (by, { runId }) => runs.dismiss(by, runId),
    cancel: (by, { runId, reason }) => runs.cancel(by, runId, reason),
  })
