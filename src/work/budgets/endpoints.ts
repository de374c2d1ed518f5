import { get, put } from '../../operations/endpoint.ts'

export const budgetEndpoints = {
  list: get('/budgets'),
  set: put('/budgets'),
}
