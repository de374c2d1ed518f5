import { get } from '../../operations/endpoint.ts'

export const reportEndpoints = {
  make: get('/runs/:run_id/report'),
}
