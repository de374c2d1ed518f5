import type { Brief } from '../../src/work/briefs/contract.ts'
import type { State } from '../parts/state.tsx'

type Progress = 'done' | 'verifying' | 'retrying' | 'working' | 'pending' | 'blocked' | 'failed' | 'cancelled'

/** Returns the progress of a brief, reduced to the words that fit into a tree. */
export function progressOf(brief: Brief): Progress {
  switch (brief.status) {
    case 'verified':
    case 'done':
      return 'done'
    case 'failed':
    case 'blocked':
    case 'cancelled':
      return brief.status
    case 'ready_for_verification':
      return 'verifying'
    case 'draft':
    case 'committed':
      return 'pending'
    default:
      if (isRetry(brief)) return 'retrying'
      return brief.status === 'pending' ? 'pending' : 'working'
  }
}

const isRetry = ({ retriesUsed, verificationFailures, crashRetries, rejectionReason, attempts }: Brief): boolean =>
  attempts > 0 && (retriesUsed + verificationFailures + crashRetries > 0 || rejectionReason !== null)

const labels: readonly (readonly [Progress, string])[] = [
  ['retrying', 'retrying'],
  ['working', 'working'],
  ['verifying', 'being verified'],
  ['pending', 'pending'],
  ['blocked', 'blocked'],
  ['failed', 'failed'],
]

/** Formats the progress of tasks: `3/7 done, 1 retrying, 3 pending`; dropped tasks do not count. */
export function workersText(tasks: readonly Brief[]): string {
  const counts = countOf(tasks)
  const of = tasks.length - (counts.get('cancelled') ?? 0)
  const rest = labels.flatMap(([progress, label]) => {
    const count = counts.get(progress) ?? 0
    return count === 0 ? [] : [`${count} ${label}`]
  })
  return [`${counts.get('done') ?? 0}/${of} done`, ...rest].join(', ')
}

/** Returns the combined state of several briefs: done, active, pending or failed. */
export function stateOfAll(briefs: readonly Brief[]): State {
  const counts = countOf(briefs)
  const has = (progress: Progress): boolean => (counts.get(progress) ?? 0) > 0
  const live = briefs.length - (counts.get('cancelled') ?? 0)
  if (has('failed')) return { tone: 'bad', text: 'failed' }
  if (has('blocked')) return { tone: 'waiting', text: 'blocked' }
  if (live === 0) return briefs.length === 0 ? { tone: 'idle', text: 'pending' } : { tone: 'off', text: 'cancelled' }
  if (counts.get('done') === live) return { tone: 'good', text: 'done' }
  if (counts.get('pending') === live) return { tone: 'idle', text: 'pending' }
  return { tone: 'working', text: 'active' }
}

function countOf(briefs: readonly Brief[]): Map<Progress, number> {
  const counts = new Map<Progress, number>()
  for (const brief of briefs) {
    const progress = progressOf(brief)
    counts.set(progress, (counts.get(progress) ?? 0) + 1)
  }
  return counts
}
