import { get } from '../../operations/endpoint.ts'

export const agentEndpoints = {
  list: get('/agents'),
  show: get('/agents/:agent_id'),
  prompt: get('/agents/:agent_id/prompt'),
}
