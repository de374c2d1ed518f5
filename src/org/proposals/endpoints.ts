import { get, post } from '../../operations/endpoint.ts'

export const proposalEndpoints = {
  propose: post('/orgs/proposals'),
  list: get('/orgs/:org/proposals'),
  apply: post('/proposals/:proposal_id/apply'),
  reject: post('/proposals/:proposal_id/reject'),
}
