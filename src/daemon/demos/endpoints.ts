import { get, post } from '../../operations/endpoint.ts'

export const demoEndpoints = {
  play: post('/demo'),
  guide: get('/runs/:run_id/demo'),
}
