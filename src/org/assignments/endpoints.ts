import { get, post, remove } from '../../operations/endpoint.ts'

export const assignmentEndpoints = {
  assign: post('/positions/:position_id/assignment'),
  unassign: remove('/positions/:position_id/assignment'),
  list: get('/orgs/:org/assignments'),
  vacancies: get('/orgs/:org/vacancies'),
  available: get('/personas/available'),
  assessFit: get('/positions/:position_id/fit'),
}
