import { bind, type Route } from '../../operations/bind.ts'
import { agentOperations } from './contract.ts'
import type { Agents } from './service.ts'

export const agentRoutes = (agents: Agents): Route[] =>
  bind(agentOperations, {
    list: (_, { runId, limit, organisationId }) => agents.list(runId, limit, organisationId),
    show: (_, { agentId }) => agents.show(agentId),
    prompt: (_, { agentId }) => agents.prompt(agentId),
  })
