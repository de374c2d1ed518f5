import { Hono } from 'hono'

import type { Db } from '../db/port.ts'
import type { Clock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { type AttemptId, randomToken } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { shorten } from '../kernel/text.ts'
import type { Route } from '../operations/bind.ts'
import { authenticate, bearerOf, senderOf } from './authenticate.ts'
import { UnsupportedMedia } from './body.ts'
import type { RequestContext, RequestEnv } from './context.ts'
import type { Sessions } from '../sessions/service.ts'
import type { Credentials } from './credentials.ts'
import { serveSignIn } from './sign-in.ts'
import { checkHost, checkOrigin, securityHeaders } from './guards.ts'
import { createOpenApi } from './openapi.ts'
import { serveOperations } from './operations.ts'
import { bugResponse, problemResponse } from './problem.ts'
import { createSenderLimits } from './sender-limits.ts'
import { serveWeb } from './web.ts'

export interface AppOptions {
  routes: readonly Route[]
  credentials: Credentials
  sessions: Sessions
  once: Db['once']
  clock: Clock
  log: Log
  /** The built dashboard. */
  webRoot: string | null
  version: string
  /** Called after each request of an attempt's agent, with true if it has failed because of the store. */
  onAgentRequest?: (attemptId: AttemptId, hasStoreTrouble: boolean) => void
  /** The host name of this home, which no other program of this machine uses; null: none. */
  ownName?: string | null
  /** Further host names of this server, with or without a port. */
  allowedHosts?: readonly string[]
  maxBodyBytes?: number
}

const defaultMaxBodyBytes = 8_000_000

/**
 * Creates the HTTP application: everything that applies to every request is here, in the order in which it is checked.
 */
export function createApp(
  options: AppOptions,
  { port, stopping }: { port: () => number; stopping: AbortSignal },
): Hono<RequestEnv> {
  const { clock, log, credentials, sessions } = options
  const names = { ownName: options.ownName ?? null, allowedHosts: options.allowedHosts ?? [] }
  const app = new Hono<RequestEnv>()
  const boot = randomToken().slice(0, 6)
  let count = 0

  app.use(async (c, next) => {
    const startedMs = clock.nowMs()
    const requestId = `req_${boot}${++count}`
    c.set('requestId', requestId)
    await next()
    for (const name in securityHeaders)
      if (!c.res.headers.has(name)) c.res.headers.set(name, securityHeaders[name] as string)
    c.res.headers.set('x-request-id', requestId)
    c.res.headers.set('agency-version', options.version)
    if (c.req.path.startsWith('/api')) c.res.headers.set('cache-control', 'no-store')
    log.debug('request', {
      requestId,
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: clock.nowMs() - startedMs,
    })
  })

  app.use(async (c, next) => {
    checkHost(c.req.header('host'), c.env.via, port(), names)
    checkOrigin({ ...senderOf(c), byCookie: false })
    if (stopping.aborted) throw refusal('stopping', 'the daemon is stopping')
    await next()
  })

  app.get('/healthz', (c) => c.json({ ok: true }))
  // Describing every operation takes a seventh of a daemon's start, and few daemons are asked for it.
  let openApi: string | null = null
  app.get('/api/openapi.json', (c) => {
    openApi ??= JSON.stringify(
      createOpenApi(
        options.routes.map((route) => route.operation),
        options.version,
      ),
    )
    return c.body(openApi, 200, { 'content-type': 'application/json' })
  })
  const limits = createSenderLimits({ clock, maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes })
  serveSignIn(app, { credentials, sessions, port }, { limits, clock })

  app.use('/api/*', async (c, next) => {
    await next()
    // The store may have failed before the agent was identified, so its token alone names the attempt.
    const attemptId = credentials.attemptOf(bearerOf(c) ?? '')
    if (attemptId !== null) options.onAgentRequest?.(attemptId, isStoreTrouble(c.error))
  })
  app.use('/api/*', authenticate({ credentials, sessions, port }, clock))
  serveOperations(app, options.routes, {
    once: options.once,
    clock,
    log,
    limits,
    onEnd: sessions.onEnd,
    stopping,
  })
  app.all('/api/*', (c) => {
    throw unknownOperation(c)
  })
  app.all('/api', (c) => {
    throw unknownOperation(c)
  })
  serveWeb(app, options.webRoot)

  app.onError((error, c) => toProblem(error, c, log))
  return app
}

const isStoreTrouble = (error: Error | undefined): boolean =>
  error instanceof AgencyError && (error.code === 'store_unusable' || error.code === 'store_full')

const unknownOperation = (c: RequestContext): AgencyError =>
  refusal('not_found', `unknown operation ${c.req.method} ${shorten(c.req.path, 100)}`, {
    hint: 'GET /api/openapi.json lists all operations.',
  })

function toProblem(error: Error, c: RequestContext, log: Log): Response {
  if (error instanceof UnsupportedMedia) return problemResponse(error, { status: 415 })
  if (error instanceof AgencyError && error.code !== 'bug') return problemResponse(error)
  const requestId = c.get('requestId')
  log.error('a request failed because of a bug', {
    requestId,
    method: c.req.method,
    path: c.req.path,
    error,
    ...(error instanceof AgencyError ? { data: error.data } : {}),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  })
  return bugResponse(requestId)
}
