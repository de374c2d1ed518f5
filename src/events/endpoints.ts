import { get, post } from '../operations/endpoint.ts'

export const eventEndpoints = {
  list: get('/events'),
  ofRun: get('/runs/:run_id/events'),
  log: post('/events'),
}
