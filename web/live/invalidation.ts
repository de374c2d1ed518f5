import type { QueryClient, QueryKey } from '@tanstack/react-query'

import type { Event, EventKind } from '../../src/events/contract.ts'
import { after, nowMs } from '../clock.ts'
import { keys } from '../queries.ts'

export interface Invalidation {
  add(event: Event): void
}

const shortestMs = 100

/**
 * Which answers an event makes old. Gathered and asked for at most ten times a second, and never more than half of the
 * time: a run of thousands of briefs takes long to answer, and its events come faster than that.
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

type Told = Pick<Event, 'kind' | 'runId'> & Partial<Pick<Event, 'data'>>

/** A line in a log changes no row, unless it tells of one approval among several. */
const changesNothing = ({ kind, data }: Told): boolean => kind === 'log' && data?.['gate_id'] === undefined

export function staleAfter(event: Told): QueryKey[] {
  if (changesNothing(event)) return []
  if (event.kind === 'org_changed' || event.kind === 'installed') return [keys.status, keys.org]
  const told = movesWorkspaces.includes(event.kind) ? [keys.workspaces] : []
  // A stop holds up briefs of every run.
  const stops: QueryKey[] = movesStops.includes(event.kind) ? [keys.stops, keys.everyRun] : []
  if (event.runId === null) return [keys.status, ...stops, ...told]
  const run: QueryKey[] = [keys.run(event.runId), keys.runs, ...stops, ...told]
  if (movesPullRequests.includes(event.kind)) return [...run, keys.pullRequests, keys.waiting]
  if (event.kind === 'run_created' || event.kind === 'run_status') return [...run, keys.waiting, keys.status]
  if (event.kind === 'spawned' || event.kind === 'turn_ended') return [...run, keys.status]
  if (movesWaiting.includes(event.kind)) return [...run, keys.waiting]
  return run
}

const movesStops: readonly EventKind[] = ['stop_set', 'stop_cleared', 'provider_held', 'provider_released']

const movesWorkspaces: readonly EventKind[] = [
  'workspace_created',
  'workspace_removed',
  'exec_started',
  'exec_finished',
]

const movesPullRequests: readonly EventKind[] = ['pr_opened', 'pr_updated', 'pr_closed', 'merged']

const movesWaiting: readonly EventKind[] = [
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
]
