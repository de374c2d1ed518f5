import { get, post } from '../operations/endpoint.ts'

export const notifyEndpoints = {
  list: get('/notify'),
  test: post('/notify/test'),
}
