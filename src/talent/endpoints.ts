import { get, post } from '../operations/endpoint.ts'

export const talentEndpoints = {
  list: get('/talent'),
  show: get('/talent/entries/:talent'),
  map: get('/talent/map'),
  import: post('/talent/import'),
  prompts: get('/talent/prompts'),
}
