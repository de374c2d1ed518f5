import { get, patch, post } from '../../operations/endpoint.ts'

export const roleEndpoints = {
  create: post('/roles'),
  list: get('/roles'),
  update: patch('/roles/:name'),
}
