import { get, post } from '../../operations/endpoint.ts'

export const attemptEndpoints = {
  brief: get('/attempt/brief'),
  report: post('/attempt/report'),
  output: get('/attempts/:attempt_id/output'),
}
