import { post } from '../../operations/endpoint.ts'

export const planEndpoints = {
  check: post('/plans/check'),
  run: post('/plans/run'),
}
