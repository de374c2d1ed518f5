import { get } from '../../operations/endpoint.ts'

export const spendEndpoints = {
  summary: get('/costs'),
  list: get('/runs/:run_id/spends'),
}
