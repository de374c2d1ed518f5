import type { Hono } from 'hono'

import { sessionCookie } from './authenticate.ts'
import type { RequestContext, RequestEnv } from './context.ts'
import type { Credentials } from './credentials.ts'
import { page } from './web.ts'

/** Serves the sign-in link from the terminal: it works once, and is not used up by a browser that only prefetches. */
export function serveSignIn(app: Hono<RequestEnv>, credentials: Credentials): void {
  app.get('/enter', (c) => {
    // A browser does not reuse a failed prefetch for the real visit; it might reuse any other response.
    if (isPrefetch(c)) return new Response(null, { status: 403, headers: { 'cache-control': 'no-store' } })
    const path = credentials.redeemLink(c.req.query('code') ?? '')
    if (path === undefined)
      return page(
        401,
        'This link has expired',
        '<p>It was already used, or it is older than ten minutes.</p><p>Run <code>agency open</code> in a terminal for a new one.</p>',
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

const isPrefetch = (c: RequestContext): boolean =>
  c.req.method === 'HEAD' ||
  ['sec-purpose', 'purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/i.test(c.req.header(name) ?? ''))
