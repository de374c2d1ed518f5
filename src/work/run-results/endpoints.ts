import { get } from '../../operations/endpoint.ts'

export const runResultEndpoints = {
  show: get('/runs/:run_id/result'),
}
