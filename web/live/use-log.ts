import { useEffect, useMemo, useSyncExternalStore } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import { call } from '../client.ts'
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

/** Follows all events of the installation; older pages are loaded on request. */
export function useFeed(): { log: Log; state: LogState } {
  const log = useMemo(createFeed, [])
  return { log, state: useFollowed(log) }
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
    runId,
    newest: async () => (await call(operations.event.ofRun, { runId, latest: 'true', limit: pageSize })).events,
    after: async (seq) => (await call(operations.event.ofRun, { runId, after: seq, limit: pageSize })).events,
  })

const createFeed = (): Log =>
  createLog({
    lineKey: 'position',
    gapless: false,
    runId: null,
    newest: async () => (await call(operations.event.list, { latest: 'true', limit: pageSize })).events,
    after: async (position) => (await call(operations.event.list, { after: position, limit: pageSize })).events,
  })
