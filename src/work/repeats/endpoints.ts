import { get, post } from '../../operations/endpoint.ts'

export const repeatEndpoints = {
  start: post('/runs/:run_id/proof/repeats'),
  show: get('/runs/:run_id/proof/repeats/:repeat_id'),
  cancel: post('/runs/:run_id/proof/repeats/:repeat_id/cancel'),
}
