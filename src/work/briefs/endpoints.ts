import { get, patch } from '../../operations/endpoint.ts'

export const briefEndpoints = {
  list: get('/briefs'),
  show: get('/briefs/:brief_id'),
  update: patch('/briefs/:brief_id'),
}
