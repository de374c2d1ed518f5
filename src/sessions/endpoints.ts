import { get, post, remove } from '../operations/endpoint.ts'

export const sessionEndpoints = {
  list: get('/sessions'),
  revoke: remove('/sessions/:session_id'),
  revokeAll: post('/sessions/revoke'),
  signOut: post('/sessions/sign-out'),
}
