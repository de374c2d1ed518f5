import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Context } from 'hono'

import type { Actor } from '../kernel/actor.ts'
import type { Via } from './credentials.ts'

/** Values that belong to one request. */
export interface RequestEnv {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse; via: Via }
  Variables: {
    requestId: string
    actor: Actor
    /** Identifies the actor again; throws once its token or session is no longer valid. */
    recheck: () => Promise<Actor>
  }
}

export type RequestContext = Context<RequestEnv>
