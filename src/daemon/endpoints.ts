import { get, post } from '../operations/endpoint.ts'

export const daemonEndpoints = {
  status: get('/status'),
  whoami: get('/whoami'),
  stop: post('/stop'),
  link: post('/links'),
}
