import { get, post } from '../../operations/endpoint.ts'

export const gateEndpoints = {
  list: get('/gates'),
  ofRun: get('/runs/:run_id/gates'),
  approve: post('/gates/:target/approve'),
  reject: post('/gates/:target/reject'),
  pause: post('/runs/:run_id/pause'),
  resume: post('/runs/:run_id/resume'),
  reply: post('/notify/inbound'),
}
