import { get, post } from '../../operations/endpoint.ts'

export const documentEndpoints = {
  export: get('/orgs/:org/export'),
  validate: post('/orgs/validate'),
  import: post('/orgs/import'),
}
