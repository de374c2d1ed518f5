import { get, post } from '../../../operations/endpoint.ts'

export const executionEndpoints = {
  execute: post('/missions/:mission_id/workspace/exec'),
  review: post('/missions/:mission_id/workspace/review'),
  execution: get('/executions/:run_id'),
}
