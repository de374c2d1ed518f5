import { post } from '../../operations/endpoint.ts'

export const amendmentEndpoints = {
  amend: post('/runs/:run_id/amendments'),
}
