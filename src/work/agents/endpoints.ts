import { get } from '../../operations/endpoint.ts'

export const agentEndpoints = {
  list: get('/agents'),
}
