import type { QueryClient, QueryKey } from '@tanstack/react-query'

import type { Event, EventKind } from '../../src/events/contract.ts'
import { after, nowMs } from '../clock.ts'
import { keys } from '../queries.ts'

export interface Invalidation {
  add(event: Event): void
}

const shortestMs = 100

/**
 * Refetches the responses that events make stale. They are collected and refetched at most ten times a second, and
 * fetching takes at most half of the time: a run with thousands of briefs takes long to load, and its events come faster.
 */
export function createInvalidation(queryClient: Pick<QueryClient, 'invalidateQueries'>): Invalidation {
  const dirty = new Map<string, QueryKey>()
  let busy = false

  const flush = async (): Promise<void> => {
    const began = nowMs()
    const stale = [...dirty.values()]
    dirty.clear()
    await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    after(Math.max(shortestMs, nowMs() - began), () => {
      busy = false
      if (dirty.size > 0) begin()
    })
  }

  const begin = (): void => {
    busy = true
    after(0, () => void flush())
  }

  return {
    add: (event) => {
      for (const key of staleAfter(event)) dirty.set(JSON.stringify(key), key)
      if (dirty.size > 0 && !busy) begin()
    },
  }
}

type StaleCause = Pick<Event, 'kind' | 'runId'> & Partial<Pick<Event, 'data'>>

/** A log line changes no row, unless it reports one approval among several. */
const changesNothing = ({ kind, data }: StaleCause): boolean => kind === 'log' && data?.['gate_id'] === undefined

/** Returns the keys of the responses that an event makes stale. */
export function staleAfter(event: StaleCause): QueryKey[] {
  if (changesNothing(event)) return []
  if (event.kind === 'org_changed' || event.kind === 'installed') return [keys.status, keys.org]
  const workspaces = changesWorkspaces.includes(event.kind) ? [keys.workspaces] : []
  // A stop holds briefs of every run.
  const stops: QueryKey[] = changesStops.includes(event.kind) ? [keys.stops, keys.everyRun, keys.runs] : []
  const inbox = changesInbox.includes(event.kind) ? [keys.waiting] : []
  if (event.runId === null) return [keys.status, ...stops, ...workspaces, ...inbox]
  const run: QueryKey[] = [keys.run(event.runId), keys.runs, ...stops, ...workspaces]
  if (changesPullRequests.includes(event.kind)) return [...run, keys.pullRequests, keys.waiting]
  if (event.kind === 'run_created' || event.kind === 'run_status' || event.kind === 'run_dismissed')
    return [...run, keys.waiting, keys.status]
  if (event.kind === 'spawned' || event.kind === 'turn_ended') return [...run, keys.status]
  return [...run, ...inbox]
}

const changesStops: readonly EventKind[] = ['stop_set', 'stop_cleared', 'provider_held', 'provider_released']

const changesWorkspaces: readonly EventKind[] = [
  'workspace_created',
  'workspace_removed',
  'exec_started',
  'exec_finished',
]

const changesPullRequests: readonly EventKind[] = ['pr_opened', 'pr_updated', 'pr_closed', 'merged']

const changesInbox: readonly EventKind[] = [
  'log',
  'escalated',
  'unblocked',
  'retried',
  'failed',
  'brief_cancelled',
  'gate_pending',
  'gate_approved',
  'gate_rejected',
  'gate_paused',
  'gate_resumed',
  'question_asked',
  'question_routed',
  'question_acknowledged',
  'question_answered',
  'question_withdrawn',
  'loop_detected',
  'decision_made',
  'decision_undone',
  'decision_applied',
  'decision_refused',
]
