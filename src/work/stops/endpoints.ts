import { get, post } from '../../operations/endpoint.ts'

export const stopEndpoints = {
  list: get('/stops'),
  set: post('/stops'),
  clear: post('/stops/clear'),
}
