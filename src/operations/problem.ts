/** The body of every error, as `application/problem+json`. The CLI prints and exits from it. */
export interface Problem {
  code: string
  message: string
  hint?: string
  data?: Record<string, unknown>
  exit: number
}

/** An operation that the daemon refused, in the daemon's own words. */
export class ApiError extends Error {
  readonly problem: Problem
  /** The HTTP status; 0 where the refusal did not come as an answer. */
  readonly status: number
  /** The body of the answer as it came. */
  readonly body: string
  constructor(problem: Problem, status = 0, body = '') {
    super(problem.message)
    this.name = 'ApiError'
    this.problem = problem
    this.status = status
    this.body = body
  }
}

/** Returns the refusal that an answer with this status and body means. */
export const apiErrorOf = (status: number, body: string): ApiError =>
  new ApiError(problemOf(status, body), status, body)

function problemOf(status: number, text: string): Problem {
  try {
    const problem = JSON.parse(text) as Partial<Problem> | null
    if (typeof problem?.message === 'string') return { code: 'bug', exit: 1, ...problem, message: problem.message }
  } catch {
    // The answer is not ours: it comes from a proxy, or from another version of Agency. Its first line has to do.
  }
  const first = text.split('\n', 1)[0]?.slice(0, 200)
  return { code: 'bug', message: `the daemon answered ${status}${first ? `: ${first}` : ''}`, exit: 1 }
}
