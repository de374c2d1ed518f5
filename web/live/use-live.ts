import { createContext, use, useSyncExternalStore } from 'react'

import type { Connection, Live } from './live.ts'

export const LiveContext = createContext<Live | null>(null)

export function useLive(): Live {
  const live = use(LiveContext)
  if (live === null) throw new Error('useLive outside of LiveContext')
  return live
}

export function useConnection(): Connection {
  const live = useLive()
  return useSyncExternalStore(live.subscribe, live.connection)
}
