import { useEffect, useMemo, useSyncExternalStore } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import { call } from '../client.ts'
import { createLog, type Log, type LogState, maxLines, pageSize } from './log.ts'
import { useLive } from './use-live.ts'

/** A run's whole log, newest lines first to arrive. */
export function useRunLog(runId: string): { log: Log; state: LogState } {
  const log = useMemo(() => createRunLog(runId), [runId])
  const state = useFollowed(log)
  const { lines, whole, error } = state
  const wantsOlder = lines.length > 0 && lines.length < maxLines && !whole && error === null
  useEffect(() => {
    if (wantsOlder) void log.loadOlder()
    // Again after each page, until all of them are here.
  }, [log, wantsOlder, lines])
  return { log, state }
}

/** Everything that happens in the installation; older pages when asked for. */
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
    place: 'seq',
    gapless: true,
    newest: async () => (await call(operations.run.inspect, { runId, events: pageSize })).events,
    after: async (seq) => (await call(operations.event.ofRun, { runId, after: seq, limit: pageSize })).events,
  })

const createFeed = (): Log =>
  createLog({
    place: 'position',
    gapless: false,
    newest: async () => (await call(operations.event.list, { latest: 'true', limit: pageSize })).events,
    after: async (position) => (await call(operations.event.list, { after: position, limit: pageSize })).events,
  })
