import { get, patch, post, put } from '../../operations/endpoint.ts'

export const organisationEndpoints = {
  create: post('/orgs'),
  list: get('/orgs'),
  show: get('/orgs/:org'),
  update: patch('/orgs/:org'),
  status: get('/orgs/:org/status'),
  settings: get('/orgs/:org/settings'),
  set: put('/orgs/:org/settings/:key'),
  readIntent: get('/orgs/:org/intent'),
  writeIntent: put('/orgs/:org/intent'),
}
