import { bind, type Route } from '../../operations/bind.ts'
import { proposalOperations } from './contract.ts'
import type { Proposals } from './service.ts'

export const proposalRoutes = (proposals: Proposals): Route[] =>
  bind(proposalOperations, {
    propose: (by, { document, reason }) => proposals.propose(by, document, reason),
    list: (_, { org, all }) => proposals.list(org, all),
    apply: (by, { proposalId, force }) => proposals.apply(by, proposalId, force),
    reject: (by, { proposalId, answer }) => proposals.reject(by, proposalId, answer),
  })
