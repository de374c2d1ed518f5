import { get } from '../../operations/endpoint.ts'

export const proofSheetEndpoints = {
  show: get('/runs/:run_id/proof'),
}
