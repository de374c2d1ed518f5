import { createHash } from 'node:crypto'

import type { Hono } from 'hono'

import type { Db } from '../db/port.ts'
import type { Actor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import { canonicalJson } from '../kernel/json.ts'
import type { Log } from '../kernel/log.ts'
import type { Route } from '../operations/bind.ts'
import type { FileAnswer, Operation } from '../operations/contract.ts'
import { toWire } from '../operations/wire.ts'
import { redactDeeply } from '../secrets/redact.ts'
import { acceptedFormat, yamlResponse } from './accept.ts'
import { type AnswerTurns, createAnswerTurns } from './answer-turns.ts'
import { readJsonBody } from './body.ts'
import type { RequestContext, RequestEnv } from './context.ts'
import { fileResponse } from './file-response.ts'
import { mergeInput, parseInput } from './input.ts'
import { problemResponse } from './problem.ts'
import type { SenderLimits } from './sender-limits.ts'
import { eventStreamResponse } from './sse.ts'

export interface OperationDeps {
  once: Db['once']
  clock: Clock
  log: Log
  limits: SenderLimits
  /** Calls back when the session of the actor ends. */
  onEnd: (by: Actor, end: () => void) => () => void
  /** Aborted when the server stops; ends every stream. */
  stopping: AbortSignal
}

/** Adds one route below `/api` for each operation, all handled in the same way. */
export function serveOperations(app: Hono<RequestEnv>, routes: readonly Route[], deps: OperationDeps): void {
  const methodsOf = new Map<string, string[]>()
  const turns = createAnswerTurns()
  // A fixed segment is matched before a parameter at the same position, in any order of the list.
  for (const route of [...routes].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))) {
    const { method, path } = route.operation
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
    app.on(method, `/api${path}`, (c) => answer(c, route, { ...deps, turns }))
  }
  for (const [path, methods] of methodsOf) {
    const allow = methods.sort().join(', ')
    app.all(`/api${path}`, (c) =>
      problemResponse(
        refusal('unsupported', `${c.req.method} is not supported at this path`, { hint: `Use ${allow}.` }),
        {
          status: 405,
          headers: { allow },
        },
      ),
    )
  }
}

const sortKey = ({ operation }: Route): string => operation.path.replaceAll(':', '~')

async function answer(
  c: RequestContext,
  route: Route,
  deps: OperationDeps & { turns: AnswerTurns },
): Promise<Response> {
  const { operation } = route
  const by = c.get('actor')
  if (by.kind === 'system' || !operation.allow.includes(by.kind)) {
    // The operator gets a report of invalid input first; the request of an agent that is not allowed is not even read.
    if (by.kind === 'operator') parseInput(operation.input, await readInput(c, operation, deps))
    throw refusal(
      'forbidden',
      `${operation.name} is not available to ${by.kind === 'agent' ? 'agents' : `the ${by.kind}`}`,
      operation.instead === undefined ? {} : { hint: operation.instead },
    )
  }
  deps.limits.countRequest(by, operation)
  const received = await readInput(c, operation, deps)
  // The text of an agent is stored and shown to others; an operator's texts are kept as they were written.
  const wire = by.kind === 'agent' ? redactDeeply(received) : received
  const format = acceptedFormat(c.req.header('accept'), route.stream !== undefined && c.req.method === 'GET')
  if (format === 'stream') {
    // The header that a browser sends when it reconnects is newer than the query of its first request.
    const last = c.req.header('last-event-id')
    return stream(c, route, parseInput(operation.input, last === undefined ? wire : { ...wire, after: last }), deps)
  }
  const input = parseInput(operation.input, wire)
  if (by.kind === 'agent') await deps.turns.take(by.attemptId, c.env)
  const handle = (): Promise<unknown> => route.handle(by, input as never)
  const key = operation.method === 'GET' ? undefined : c.req.header('idempotency-key')
  const output = key === undefined ? await handle() : await deps.once(...onceKey(by, operation, key, wire), handle)
  if (operation.file === true) return fileResponse(output as FileAnswer)
  const response = toWire(operation.output, output)
  const json = JSON.stringify(response)
  if (format !== 'yaml') return c.body(json, 200, { 'content-type': 'application/json' })
  if (by.kind === 'agent' && json.length > mostYamlOfAgents)
    throw refusal('too_large', 'the answer is too large to be written as YAML', { hint: 'Accept application/json.' })
  return yamlResponse(response)
}

/** Writing a megabyte of YAML takes a second, in which others wait. */
const mostYamlOfAgents = 300_000

async function readInput(
  c: RequestContext,
  operation: Operation,
  { limits, clock }: OperationDeps,
): Promise<Record<string, unknown>> {
  const query = new URL(c.req.url).searchParams
  const path = c.req.param() as Record<string, string>
  if (operation.method === 'GET' || operation.method === 'DELETE') return mergeInput(path, query, {})
  const first = query.keys().next()
  if (first.done !== true)
    throw refusal('invalid_input', 'this operation takes its input in the body, not in the query')
  const by = c.get('actor')
  const slot = limits.openBody(by)
  try {
    const { value, bytes } = await readJsonBody(c.env.incoming, slot, clock)
    limits.countStored(by, bytes)
    return mergeInput(path, query, value)
  } finally {
    slot.release()
  }
}

async function stream(c: RequestContext, route: Route, input: unknown, deps: OperationDeps): Promise<Response> {
  const controller = new AbortController()
  const free = deps.limits.openStream(c.get('actor'))
  const end = (): void => controller.abort()
  deps.stopping.addEventListener('abort', end)
  const by = c.get('actor')
  const stopWatching = by.kind === 'agent' ? watchToken(c, deps, end) : deps.onEnd(by, end)
  c.env.outgoing.once('close', () => {
    deps.stopping.removeEventListener('abort', end)
    stopWatching()
    free()
    end()
  })
  if (deps.stopping.aborted) end()
  const items = await route.stream?.(c.get('actor'), input as never, controller.signal)
  if (items === undefined) throw refusal('unsupported', `${route.operation.name} has no live stream`)
  const requestId = c.get('requestId')
  const onError = (error: unknown): void => deps.log.warn('a stream failed', { requestId, error })
  return eventStreamResponse(items, { clock: deps.clock, signal: controller.signal, onError })
}

const recheckMs = 2_000

/**
 * Calls `end` once the token with which the stream was opened is no longer valid: the attempt has ended, or another has
 * taken over. A store that does not answer proves nothing.
 */
function watchToken(c: RequestContext, { clock }: OperationDeps, end: () => void): () => void {
  const recheck = c.get('recheck')
  let isOver = false
  let cancel = (): void => {}
  const checkLater = (): void => {
    cancel = clock.after(recheckMs, () => {
      void recheck()
        .then(
          () => true,
          (error: unknown) => !(error instanceof AgencyError) || !endsStreams.has(error.code),
        )
        .then((isValid) => {
          if (isOver) return
          if (isValid) checkLater()
          else end()
        })
    })
  }
  checkLater()
  return () => {
    isOver = true
    cancel()
  }
}

const endsStreams = new Set<AgencyError['code']>(['unauthenticated', 'stale_fence', 'forbidden'])

/**
 * Scopes the key by actor and operation, so that the keys of different actors never collide. Its hash is stored: an agent
 * could write a secret into it.
 */
function onceKey(by: Actor, operation: Operation, key: string, wire: unknown): [key: string, digest: string] {
  if (!/^[\x20-\x7e]{1,200}$/.test(key))
    throw refusal('invalid_input', 'an Idempotency-Key must have 1 to 200 printable ASCII characters')
  const actor = by.kind === 'agent' ? by.attemptId : by.kind
  return [`${actor} ${operation.name} ${digest(key)}`, digest(canonicalJson(wire))]
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')
