import { get, post } from '../operations/endpoint.ts'

export const jobEndpoints = {
  list: get('/jobs'),
  retry: post('/jobs/:job_id/retry'),
}
