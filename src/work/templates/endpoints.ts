import { get } from '../../operations/endpoint.ts'

export const templateEndpoints = {
  list: get('/templates'),
}
