import { post } from '../../operations/endpoint.ts'

export const revertEndpoints = {
  start: post('/runs/:run_id/revert'),
}
