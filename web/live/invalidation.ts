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

/** A line in a log changes no row. */
const changesNothing: readonly EventKind[] = ['log']

export function staleAfter(event: Pick<Event, 'kind' | 'runId'>): QueryKey[] {
  if (changesNothing.includes(event.kind)) return []
  if (event.kind === 'org_changed' || event.kind === 'installed') return [keys.status, keys.org]
  if (event.runId === null) return [keys.status]
  const run: QueryKey[] = [keys.run(event.runId), keys.runs]
  if (event.kind === 'run_created' || event.kind === 'run_status') return [...run, keys.waiting, keys.status]
  if (event.kind === 'spawned' || event.kind === 'turn_ended') return [...run, keys.status]
  if (movesWaiting.includes(event.kind)) return [...run, keys.waiting]
  return run
}

const movesWaiting: readonly EventKind[] = ['escalated', 'unblocked', 'retried', 'failed', 'brief_cancelled']
