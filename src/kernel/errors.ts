/**
 * Codes of every refusal. The list is closed: an edge maps each code to an HTTP status
 * (`server/problem.ts`) and to an exit code (`exitCodes` below), so a new code cannot be forgotten there.
 */
export const errorCodes = [
  'invalid_input',
  'unauthenticated',
  'forbidden',
  'not_found',
  'illegal_transition',
  'conflict',
  'trust_required',
  'stale_fence',
  'idempotency_key_reused',
  'too_large',
  'rate_limited',
  'no_runtime',
  'unsupported',
  'box_unavailable',
  'network_isolation_unavailable',
  'home_owned',
  'port_taken',
  'store_unusable',
  'store_full',
  'stopping',
  'bug',
] as const
export type ErrorCode = (typeof errorCodes)[number]

export interface ErrorDetails {
  /** The next step in one sentence: a command, a flag or a file to check. */
  hint?: string
  data?: Record<string, unknown>
  cause?: unknown
}

export class AgencyError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly data: Record<string, unknown>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'AgencyError'
    this.code = code
    this.hint = details.hint
    this.data = details.data ?? {}
  }
}

export const refusal = (code: ErrorCode, message: string, details: ErrorDetails = {}): AgencyError =>
  new AgencyError(code, message, details)

export const notFound = (noun: string, id: string | number, hint?: string): AgencyError =>
  refusal('not_found', `no ${noun} "${id}"`, hint === undefined ? {} : { hint })

/**
 * Creates the error for a state that the code rules out. It is never caught and reworded: it reaches the one boundary
 * that logs it.
 */
export const bug = (message: string, data?: Record<string, unknown>): AgencyError =>
  refusal('bug', message, data === undefined ? {} : { data })

/** Reports whether the change that failed may have been recorded all the same, because the answer to it was lost. */
export const mayHaveHappened = (error: unknown): boolean =>
  error instanceof AgencyError && error.data['outcome'] === 'unknown'

/** Exit codes: 0 done, 1 refused, 2 wrong usage, 3 not found, 4 a conflict that a named flag overrides. */
export const exitCodes: Record<ErrorCode, 1 | 2 | 3 | 4> = {
  invalid_input: 2,
  unauthenticated: 1,
  forbidden: 1,
  not_found: 3,
  illegal_transition: 1,
  conflict: 4,
  trust_required: 4,
  stale_fence: 1,
  idempotency_key_reused: 1,
  too_large: 2,
  rate_limited: 1,
  no_runtime: 1,
  unsupported: 1,
  box_unavailable: 1,
  network_isolation_unavailable: 1,
  home_owned: 1,
  port_taken: 1,
  store_unusable: 1,
  store_full: 1,
  stopping: 1,
  bug: 1,
}
