import type { PullRequest } from '../../src/work/pull-requests/contract.ts'
import type { State } from '../parts/state.tsx'

const states: Record<PullRequest['status'], State> = {
  open: { tone: 'waiting', says: 'open' },
  merged: { tone: 'good', says: 'merged' },
  closed: { tone: 'off', says: 'closed' },
}

export const pullRequestState = ({ status }: Pick<PullRequest, 'status'>): State => states[status]
