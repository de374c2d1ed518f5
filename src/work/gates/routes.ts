import { bind, type Route } from '../../operations/bind.ts'
import type { DecisionService } from '../decisions/service.ts'
import { gateOperations } from './contract.ts'
import type { Gates } from './service.ts'

export const gateRoutes = (gates: Gates, decisions: Pick<DecisionService, 'approve' | 'reject'>): Route[] =>
  bind(gateOperations, {
    list: (_, { status, limit, organisationId }) => gates.list(status, limit, organisationId),
    ofRun: (_, { runId }) => gates.ofRun(runId),
    approve: (by, input) => decisions.approve(by, input),
    reject: (by, input) => decisions.reject(by, input),
    pause: (by, { runId, reason }) => gates.pause(by, runId, reason),
    resume: (by, { runId }) => gates.resume(by, runId),
    reply: (by, input) => gates.reply(by, input),
  })
