import { get } from '../operations/endpoint.ts'

export const memoryEndpoints = {
  mission: get('/missions/:mission_id/memory'),
}
