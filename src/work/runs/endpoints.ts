import { get, patch, post } from '../../operations/endpoint.ts'

export const runEndpoints = {
  create: post('/runs'),
  list: get('/runs'),
  show: get('/runs/:run_id'),
  update: patch('/runs/:run_id'),
  configuration: get('/runs/:run_id/configuration'),
  inspect: get('/runs/:run_id/inspect'),
  retry: post('/runs/:run_id/retry'),
  dismiss: post('/runs/:run_id/dismiss'),
  cancel: post('/runs/:run_id/cancel'),
}
