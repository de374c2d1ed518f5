import type { Hono } from 'hono'

import { sessionCookie } from './authenticate.ts'
import type { RequestContext, RequestEnv } from './context.ts'
import type { Credentials } from './credentials.ts'
import { page } from './web.ts'

/** A link from the terminal signs this browser in: once, and not by a browser that only looks ahead. */
export function serveEntrance(app: Hono<RequestEnv>, credentials: Credentials): void {
  app.get('/enter', (c) => {
    // A failure is not kept for the real visit; anything else might be.
    if (isLookingAhead(c)) return new Response(null, { status: 403, headers: { 'cache-control': 'no-store' } })
    const path = credentials.redeemLink(c.req.query('code') ?? '')
    if (path === undefined)
      return page(
        401,
        'This link no longer works',
        '<p>It was used already, or it is older than ten minutes.</p><p>Run <code>agency open</code> in a terminal for another.</p>',
      )
    const { value, maxAgeSeconds } = credentials.createSession()
    return new Response(null, {
      status: 303,
      headers: {
        location: path,
        'cache-control': 'no-store',
        'set-cookie': `${sessionCookie}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`,
      },
    })
  })
}

const isLookingAhead = (c: RequestContext): boolean =>
  c.req.method === 'HEAD' ||
  ['sec-purpose', 'purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/i.test(c.req.header(name) ?? ''))
