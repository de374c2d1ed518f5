import { get, post } from '../../operations/endpoint.ts'

export const composerEndpoints = {
  choices: get('/composer/choices'),
  repository: get('/composer/repository'),
  check: post('/composer/check'),
  estimate: get('/composer/estimate'),
}
