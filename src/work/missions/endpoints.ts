import { get, patch, post } from '../../operations/endpoint.ts'

export const missionEndpoints = {
  create: post('/missions'),
  list: get('/missions'),
  show: get('/missions/:mission_id'),
  update: patch('/missions/:mission_id'),
}
