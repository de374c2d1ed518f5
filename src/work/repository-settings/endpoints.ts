import { get, put } from '../../operations/endpoint.ts'

export const repositorySettingsEndpoints = {
  list: get('/repositories'),
  show: get('/repositories/settings'),
  set: put('/repositories/settings'),
}
