import { get } from '../../operations/endpoint.ts'

export const routingEndpoints = {
  whoami: get('/org/whoami'),
  route: get('/org/route'),
}
