import { get, post, remove } from '../../operations/endpoint.ts'

export const workspaceEndpoints = {
  create: post('/missions/:mission_id/workspace'),
  list: get('/workspaces'),
  disk: get('/workspaces/disk'),
  show: get('/missions/:mission_id/workspace'),
  files: get('/missions/:mission_id/workspace/files'),
  file: get('/missions/:mission_id/workspace/file'),
  check: post('/missions/:mission_id/workspace/check'),
  remove: remove('/missions/:mission_id/workspace'),
}
