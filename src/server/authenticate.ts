import type { MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'

import type { Actor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { createRateLimit } from '../kernel/rate.ts'
import { pageHeader } from '../sessions/contract.ts'
import type { Sessions } from '../sessions/service.ts'
import type { RequestContext, RequestEnv } from './context.ts'
import type { Credentials } from './credentials.ts'
import { checkOrigin } from './guards.ts'

export const sessionCookie = 'agency_session'

/** The ways to identify an actor. */
export interface Identities {
  readonly credentials: Credentials
  readonly sessions: Sessions
  /** Returns the port of the daemon. */
  readonly port: () => number
}

/**
 * Identifies the actor by token or cookie. Valid credentials are accepted, however many invalid requests are being
 * refused.
 */
export function authenticate(identities: Identities, clock: Clock): MiddlewareHandler<RequestEnv> {
  const failures = createRateLimit({ perSecond: 1, burst: 30, clock })
  return async (c, next) => {
    try {
      c.set('actor', await identify(c, identities))
      c.set('recheck', () => identify(c, identities))
    } catch (error) {
      if (!(error instanceof AgencyError) || error.code !== 'unauthenticated' || failures.take(sourceOf(c))) throw error
      throw refusal('rate_limited', 'there were too many requests without a valid token', { hint: error.hint ?? '' })
    }
    await next()
  }
}

/** One box cannot use up the failures of another, nor those of a person. */
const sourceOf = (c: RequestContext): string =>
  typeof c.env.via === 'object' ? `box ${c.env.via.attemptId ?? ''}` : c.env.via

async function identify(c: RequestContext, { credentials, sessions, port }: Identities): Promise<Actor> {
  if (c.req.header('authorization') !== undefined) {
    const token = bearerOf(c)
    if (token === undefined) throw refusal('unauthenticated', 'the Authorization header is not "Bearer <token>"')
    return credentials.ofBearer(token, c.env.via)
  }
  const cookie = typeof c.env.via === 'object' ? undefined : getCookie(c, sessionCookie)
  if (cookie === undefined)
    throw refusal('unauthenticated', 'the request has no token', {
      hint: 'Send "Authorization: Bearer <token>" with the content of operator.token in AGENCY_HOME; for a browser, run "agency open".',
    })
  const actor = await sessions.identify(cookie, c.req.header(pageHeader), port())
  checkOrigin({ ...senderOf(c), byCookie: true })
  return actor
}

/** Returns the token of a request. */
export const bearerOf = (c: RequestContext): string | undefined =>
  /^Bearer +([^\s]+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]

export const senderOf = (c: RequestContext): Omit<Parameters<typeof checkOrigin>[0], 'byCookie'> => ({
  method: c.req.method,
  host: c.req.header('host'),
  origin: c.req.header('origin'),
  site: c.req.header('sec-fetch-site'),
})
