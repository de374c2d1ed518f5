import { AgencyError, type ErrorCode, exitCodes } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import type { Problem } from '../operations/contract.ts'

/** Closed: a new code does not compile until it has a status. */
export const statuses: Record<ErrorCode, number> = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  illegal_transition: 409,
  conflict: 409,
  stale_fence: 409,
  idempotency_key_reused: 422,
  too_large: 413,
  rate_limited: 429,
  no_runtime: 409,
  unsupported: 422,
  box_unavailable: 409,
  network_isolation_unavailable: 409,
  home_owned: 409,
  port_taken: 409,
  store_unusable: 503,
  store_full: 507,
  stopping: 503,
  bug: 500,
}

const extraHeaders: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthenticated: { 'www-authenticate': 'Bearer realm="agency"' },
  rate_limited: { 'retry-after': '1' },
  stopping: { 'retry-after': '1' },
}

/** Every error as every client gets it: what happened, why, what to do, and how a command is to exit. */
export function problemResponse(
  error: AgencyError,
  { status = statuses[error.code], headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  // One line, whatever was asked for by name: it is printed as it is.
  const message = shorten(error.message.replace(/\s+/g, ' '), 500)
  const problem: Problem = {
    code: error.code,
    message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(Object.keys(error.data).length === 0 ? {} : { data: error.data }),
    exit: exitCodes[error.code],
  }
  return new Response(JSON.stringify(problem), {
    status,
    headers: { 'content-type': 'application/problem+json', ...extraHeaders[error.code], ...headers },
  })
}

/** A mistake of ours: nothing of its inside reaches a client, only where to look it up. */
export const bugResponse = (requestId: string): Response =>
  problemResponse(
    new AgencyError('bug', 'something went wrong inside Agency', {
      hint: `The daemon's log has the details under ${requestId}.`,
      data: { request_id: requestId },
    }),
  )
