import { get, patch, post, put, remove } from '../../operations/endpoint.ts'

export const positionEndpoints = {
  create: post('/orgs/:org/positions'),
  list: get('/orgs/:org/positions'),
  show: get('/positions/:position_id'),
  update: patch('/positions/:position_id'),
  remove: post('/positions/:position_id/remove'),
  setAuthority: put('/positions/:position_id/authority/:kind'),
  listAuthority: get('/positions/:position_id/authority'),
  clearAuthority: remove('/positions/:position_id/authority/:kind'),
}
