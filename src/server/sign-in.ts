import type { Hono } from 'hono'

import type { Clock } from '../kernel/clock.ts'
import { refusal } from '../kernel/errors.ts'
import { type Identities, sessionCookie } from './authenticate.ts'
import { readJsonBody } from './body.ts'
import type { RequestContext, RequestEnv } from './context.ts'
import type { SenderLimits } from './sender-limits.ts'

/**
 * Serves the sign-in link from the terminal. The page behind it sends the code, which works once; the answer has the
 * cookie and the secret of the page.
 */
export function serveSignIn(
  app: Hono<RequestEnv>,
  { credentials, sessions, port }: Identities,
  { limits, clock }: { limits: SenderLimits; clock: Clock },
): void {
  const readCode = async (c: RequestContext): Promise<unknown> => {
    const slot = limits.openBody(null)
    try {
      return (await readJsonBody(c.env.incoming, slot, clock)).value['code']
    } finally {
      slot.release()
    }
  }
  app.get('/enter', async (c, next) => {
    // A browser does not reuse a failed prefetch for the real visit; it might reuse any other response.
    if (isPrefetch(c)) return new Response(null, { status: 403, headers: { 'cache-control': 'no-store' } })
    return next()
  })
  app.post('/enter', async (c) => {
    // No browser is in a box, and its half-sent codes would take the places of those of the operator.
    if (typeof c.env.via === 'object') throw refusal('forbidden', 'nobody signs in from a box')
    const code = await readCode(c)
    const path = credentials.redeemLink(typeof code === 'string' ? code : '')
    if (path === undefined)
      throw refusal('unauthenticated', 'this link was already used, or it is older than ten minutes', {
        hint: 'Run "agency open" for a new one.',
      })
    const userAgent = c.req.header('user-agent') ?? 'a program without a name'
    const { cookie, page, maxAgeSeconds } = await sessions.open({ userAgent, port: port() })
    return c.json({ path, page }, 200, {
      'cache-control': 'no-store',
      'set-cookie': `${sessionCookie}=${cookie}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`,
    })
  })
}

const isPrefetch = (c: RequestContext): boolean =>
  ['sec-purpose', 'purpose', 'x-moz'].some((name) => /prefetch|prerender|preview/i.test(c.req.header(name) ?? ''))
