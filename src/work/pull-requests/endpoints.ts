import { get } from '../../operations/endpoint.ts'

export const pullRequestEndpoints = {
  list: get('/pull-requests'),
  ofRun: get('/runs/:run_id/pr'),
  diff: get('/runs/:run_id/diff'),
  ofBrief: get('/briefs/:brief_id/diff'),
}
