import { get } from '../../operations/endpoint.ts'

export const artifactEndpoints = {
  list: get('/runs/:run_id/artifacts'),
  show: get('/artifacts/:artifact_id'),
  file: get('/artifacts/:artifact_id/file'),
}
