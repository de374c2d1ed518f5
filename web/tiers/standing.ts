import type { Brief } from '../../src/work/briefs/contract.ts'
import type { State } from '../parts/state.tsx'
import type { Stream } from './team.ts'

type Standing = 'done' | 'verifying' | 'retrying' | 'working' | 'pending' | 'blocked' | 'failed' | 'cancelled'

/** Where a brief stands, in the few words that a tree has room for. */
export function standingOf(brief: Brief): Standing {
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
      if (isTriedAgain(brief)) return 'retrying'
      return brief.status === 'pending' ? 'pending' : 'working'
  }
}

const isTriedAgain = ({ retriesUsed, verificationFailures, crashRetries, rejectionReason, attempts }: Brief): boolean =>
  attempts > 0 && (retriesUsed + verificationFailures + crashRetries > 0 || rejectionReason !== null)

const partWords: readonly (readonly [Standing, string])[] = [
  ['retrying', 'retrying'],
  ['working', 'working'],
  ['verifying', 'being verified'],
  ['pending', 'pending'],
  ['blocked', 'blocked'],
  ['failed', 'failed'],
]

/** `3/7 done, 1 retrying, 3 pending`; what was dropped counts no more. */
export function workersText(tasks: readonly Brief[]): string {
  const counts = countOf(tasks)
  const of = tasks.length - (counts.get('cancelled') ?? 0)
  const rest = partWords.flatMap(([standing, word]) => {
    const count = counts.get(standing) ?? 0
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return [`${counts.get('done') ?? 0}/${of} done`, ...rest].join(', ')
}

/** Several briefs as one: done, active, pending or failed. */
export function stateOfAll(briefs: readonly Brief[]): State {
  const counts = countOf(briefs)
  const has = (standing: Standing): boolean => (counts.get(standing) ?? 0) > 0
  const live = briefs.length - (counts.get('cancelled') ?? 0)
  if (has('failed')) return { tone: 'bad', text: 'failed' }
  if (has('blocked')) return { tone: 'waiting', text: 'blocked' }
  if (live === 0) return briefs.length === 0 ? { tone: 'idle', text: 'pending' } : { tone: 'off', text: 'cancelled' }
  if (counts.get('done') === live) return { tone: 'good', text: 'done' }
  if (counts.get('pending') === live) return { tone: 'idle', text: 'pending' }
  return { tone: 'working', text: 'active' }
}

/** A workstream is done when its work is joined with that of the others, not before. */
export function streamState({ squads, part }: Pick<Stream, 'squads' | 'part'>): State {
  if (part?.status === 'cancelled') return { tone: 'off', text: 'cancelled' }
  const state = stateOfAll(squads.flatMap(({ steps, tasks }) => [...steps, ...tasks]))
  if (part === null || state.tone === 'bad' || state.tone === 'waiting') return state
  if (part.status === 'done') return { tone: 'good', text: 'done' }
  return state.tone === 'good' ? { tone: 'working', text: part.heldBy === 'merge' ? 'being merged' : 'active' } : state
}

function countOf(briefs: readonly Brief[]): Map<Standing, number> {
  const counts = new Map<Standing, number>()
  for (const brief of briefs) {
    const standing = standingOf(brief)
    counts.set(standing, (counts.get(standing) ?? 0) + 1)
  }
  return counts
}
