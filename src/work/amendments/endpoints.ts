import { post } from '../../operations/endpoint.ts'

export const amendmentEndpoints = {
  amend: post('/runs/:run_id/amendments'),
  amendPlan: post('/runs/:run_id/amendments/plan'),
}
