import { get, post } from '../../operations/endpoint.ts'

export const noteEndpoints = {
  add: post('/notes'),
  list: get('/notes'),
  show: get('/notes/:note_id'),
  resolve: post('/notes/:note_id/resolve'),
  escalate: post('/notes/:note_id/escalate'),
}
