import { bind, type Route } from '../operations/bind.ts'
import { sessionOperations } from './contract.ts'
import type { Sessions } from './service.ts'

export const sessionRoutes = (sessions: Sessions): Route[] =>
  bind(sessionOperations, {
    list: async (by) => ({ sessions: await sessions.list(by) }),
    revoke: async (_, { sessionId }) => ({ ended: await sessions.revoke(sessionId) }),
    revokeAll: async () => ({ ended: await sessions.revokeAll() }),
    signOut: async (by) => ({ ended: await sessions.signOut(by) }),
  })
