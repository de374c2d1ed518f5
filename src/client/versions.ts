import { type AgencyError, refusal } from '../kernel/errors.ts'
import type { Endpoint } from '../operations/endpoint.ts'
import { ApiError } from '../operations/problem.ts'
import type { HttpHead } from './http.ts'

export interface VersionsOptions {
  /** The version of this program with its build, `0.1.0+1f3c9a2b`. */
  own: string
  /** Returns the version that the daemon recorded when it started; null: unknown. */
  recorded(): string | null
  /** Returns the answer with all fields that its operation has in the version of this program; null: some are missing. */
  complete(endpoint: Endpoint, answer: unknown): Promise<{ answer: unknown } | null>
}

/**
 * The versions of this program and of the daemon that answers it. After an upgrade a daemon of the version before may
 * still be running. Most of its answers can be used; those that cannot become one refusal that names both versions.
 */
export interface Versions {
  /** Notes the version of the daemon that sent this answer. */
  note(head: HttpHead): void
  /** Returns the refusal that names both versions; null while they agree. */
  difference(): AgencyError | null
  /** Returns an answer that this program can use, or throws the difference. While the versions agree, it costs nothing. */
  read<T>(endpoint: Endpoint, answer: T): Promise<T>
  /** Returns the error to report: the difference where it is the cause, and beside input that the daemon rejects. */
  explain(error: unknown): unknown
}

const hint = 'Restart the daemon with "agency down" and "agency up"; briefs of running agents resume.'

export function createVersions({ own, recorded, complete }: VersionsOptions): Versions {
  let daemon: string | null = own
  const sentence = (): string => {
    const theirs = daemon === null ? `${recorded() ?? 'unknown'} (an earlier build)` : versionText(daemon)
    return `the daemon is version ${theirs}, this command is version ${versionText(own)}`
  }
  const difference = (): AgencyError | null => (daemon === own ? null : refusal('unsupported', sentence(), { hint }))

  return {
    note: ({ headers }) => void (daemon = headers.get('agency-version') ?? null),
    difference,
    read: async (endpoint, answer) => {
      if (daemon === own) return answer
      const read = await complete(endpoint, answer)
      if (read !== null) return read.answer as typeof answer
      if (endpoint.method === 'GET') throw refusal('unsupported', sentence(), { hint })
      throw refusal('unsupported', `the change was made, but the answer cannot be shown: ${sentence()}`, { hint })
    },
    explain: (error) => {
      const refused = difference()
      if (refused === null) return error
      // A TypeError comes from a message of a stream: those are not completed.
      if (error instanceof TypeError || isUnknownOperation(error)) return refused
      return error instanceof ApiError && error.problem.code === 'invalid_input'
        ? withDifference(error, refused)
        : error
    },
  }
}

const versionText = (version: string): string => version.replace(/\+(.*)$/, ' (build $1)')

/** The hint to the list of operations is the same in all versions; the sentence is not. */
const isUnknownOperation = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 405 || (error.status === 404 && error.problem.hint?.startsWith('GET /api/openapi.json ') === true))

/** The input may be wrong, or be right for the version of this command only. */
function withDifference({ problem, status, body }: ApiError, { message }: AgencyError): ApiError {
  const also = `${message[0]?.toUpperCase()}${message.slice(1)}. ${hint}`
  return new ApiError({ ...problem, hint: problem.hint === undefined ? also : `${problem.hint} ${also}` }, status, body)
}
