import { get } from '../../operations/endpoint.ts'

export const chartEndpoints = {
  chart: get('/orgs/:org/chart'),
  tree: get('/orgs/:org/tree'),
}
