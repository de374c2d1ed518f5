import { get, post } from '../../operations/endpoint.ts'

export const trustedFileEndpoints = {
  list: get('/trusted-files'),
  review: post('/trusted-files/review'),
  trust: post('/trusted-files'),
  revoke: post('/trusted-files/revoke'),
}
