import { useEffect, useMemo, useSyncExternalStore } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { EventKind } from '../../src/events/contract.ts'
import { call } from '../client.ts'
import { createMatcher, type Filter } from './lines.ts'
import { createLog, type Log, type LogState, maxLines, pageSize } from './log.ts'
import { useLive } from './use-live.ts'

/** Loads the whole log of a run, newest lines first. */
export function useRunLog(runId: string): { log: Log; state: LogState } {
  const log = useMemo(() => createRunLog(runId), [runId])
  const state = useFollowed(log)
  const { lines, whole, error } = state
  const wantsOlder = lines.length > 0 && lines.length < maxLines && !whole && error === null
  useEffect(() => {
    if (wantsOlder) void log.loadOlder()
    // Runs again after each page, until all pages are loaded.
  }, [log, wantsOlder, lines])
  return { log, state }
}

/** Follows the events of the installation that match a filter; older pages are loaded on request. */
export function useFeed({ all, text, kinds }: FeedFilter): { log: Log; state: LogState } {
  const kind = kinds?.join(',') ?? ''
  const log = useMemo(() => createFeed({ all, text, kind }), [all, text, kind])
  return { log, state: useFollowed(log) }
}

export interface FeedFilter extends Pick<Filter, 'all' | 'text'> {
  kinds: readonly EventKind[] | undefined
}

function useFollowed(log: Log): LogState {
  const live = useLive()
  useEffect(() => {
    const unfollow = live.follow({ opened: () => void log.catchUp(), received: log.receive })
    void log.catchUp()
    return unfollow
  }, [live, log])
  return useSyncExternalStore(log.subscribe, log.state)
}

const createRunLog = (runId: string): Log =>
  createLog({
    lineKey: 'seq',
    gapless: true,
    accepts: (event) => event.runId === runId,
    newest: async () => (await call(operations.event.ofRun, { runId, latest: 'true', limit: pageSize })).events,
    after: async (seq) => (await call(operations.event.ofRun, { runId, after: seq, limit: pageSize })).events,
    before: async (seq) => {
      // The numbers have no gaps, so the page before a line begins a page below it.
      const limit = Math.min(pageSize, seq - 1)
      if (limit === 0) return []
      return (await call(operations.event.ofRun, { runId, after: seq - 1 - limit, limit })).events
    },
  })

/** The filter is a part of the query: matches that are older than any loaded page are found too. */
function createFeed({ all, text, kind }: { all: boolean; text: string; kind: string }): Log {
  const kinds = kind === '' ? undefined : kind.split(',')
  const query = {
    limit: pageSize,
    ...(all ? {} : { level: 'normal' as const }),
    ...(text === '' ? {} : { text }),
    ...(kind === '' ? {} : { kind }),
  }
  const accepts = createMatcher({ all, text, kinds })
  return createLog({
    lineKey: 'position',
    gapless: false,
    newest: async () => (await call(operations.event.list, { ...query, latest: 'true' })).events,
    after: async (position) => (await call(operations.event.list, { ...query, after: position })).events,
    before: async (position) => (await call(operations.event.list, { ...query, before: position })).events,
    accepts: accepts ?? (() => true),
  })
}
