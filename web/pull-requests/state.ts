import type { PullRequest } from '../../src/work/pull-requests/contract.ts'
import type { State } from '../parts/state.tsx'

const states: Record<PullRequest['status'], State> = {
  open: { tone: 'waiting', text: 'open' },
  merged: { tone: 'good', text: 'merged' },
  closed: { tone: 'off', text: 'closed' },
}

export const pullRequestState = ({ status }: Pick<PullRequest, 'status'>): State => states[status]
