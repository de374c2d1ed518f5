import { AgencyError, type ErrorCode, exitCodes } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import type { Problem } from '../operations/problem.ts'

/** HTTP statuses by error code: a new code does not compile until it has a status. */
export const statuses: Record<ErrorCode, number> = {
  invalid_input: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  illegal_transition: 409,
  conflict: 409,
  trust_required: 409,
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

/** Returns an error as every client gets it: code, message with its reason, hint, and the exit code of a command. */
export function problemResponse(
  error: AgencyError,
  { status = statuses[error.code], headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  // One line, even if a name in it has line breaks: clients print it unchanged.
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

/** Returns the response for a bug: no internals reach a client, only the id under which the log has them. */
export const bugResponse = (requestId: string): Response =>
  problemResponse(
    new AgencyError('bug', 'the request failed because of a bug in Agency', {
      hint: `The daemon's log has the details under ${requestId}.`,
      data: { request_id: requestId },
    }),
  )
