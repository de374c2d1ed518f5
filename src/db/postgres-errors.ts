import { AgencyError, refusal } from '../kernel/errors.ts'
import { redact } from '../secrets/redact.ts'

/**
 * The kinds of failure of a statement. `race`: another transaction was first, and a repetition sees its result.
 * `duplicate`: the same for a unique key, which may also be a mistake of ours. `full`: no space. `passing`: trouble of
 * the server or of the way to it. `ours`: a mistake in a statement or a value that the schema refuses.
 */
export type Trouble = 'race' | 'duplicate' | 'full' | 'passing' | 'ours'

/**
 * Single codes whose class says otherwise. Everything that is neither here nor in `mistakes` is trouble of the server:
 * it must never be taken for the fault of the work that was to be recorded.
 */
const codes: ReadonlyMap<string, Trouble> = new Map<string, Trouble>([
  ['23505', 'duplicate'],
  ['40001', 'race'],
  ['40P01', 'race'],
  // A transaction rolled back by a constraint that is checked at its end.
  ['40002', 'ours'],
  ['53100', 'full'],
  // The server became a standby, or an administrator made it read-only for a while.
  ['25006', 'passing'],
  // The session was idle in a transaction for too long, or the transaction took too long.
  ['25P03', 'passing'],
  ['25P04', 'passing'],
  // Another process has migrated the schema: the statement was prepared for the old one, on this connection only.
  ['0A000', 'passing'],
  // A prepared statement is missing or exists already: the connection is not the one that it was.
  ['42P05', 'passing'],
  // An administrator has taken a privilege away.
  ['42501', 'passing'],
])

/** Classes of SQLSTATE for mistakes in a statement or its values. */
const mistakes: ReadonlySet<string> = new Set([
  '03', // SQL statement not yet complete
  '0A', // feature not supported
  '0B', // invalid transaction initiation
  '20', // case not found
  '21', // cardinality violation
  '22', // data exception, such as a text with a zero byte
  '23', // integrity constraint violation
  '24', // invalid cursor state
  '25', // invalid transaction state, such as a statement after a failed one
  '27', // triggered data change violation
  '2B', // dependent privilege descriptors still exist
  '2F', // SQL routine exception
  '34', // invalid cursor name
  '38', // external routine exception
  '39', // external routine invocation exception
  '3F', // invalid schema name
  '42', // syntax error or access rule violation
  '44', // WITH CHECK OPTION violation
  '54', // program limit exceeded, such as too many parameters
  'P0', // an exception of a trigger, such as the one that protects events
])

/** Classifies an error of `pg`; null if it did not come from the server or the connection to it. */
export function troubleOf(error: unknown): Trouble | null {
  if (error instanceof AgencyError || !(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  if (isFromServer(error)) return codes.get(code) ?? (mistakes.has(code.slice(0, 2)) ? 'ours' : 'passing')
  // An error of Node for a socket or a name, or one of `pg` itself, which has no code.
  if ('syscall' in error || /^E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_|ADDR)/.test(code)) return 'passing'
  return ofConnection.test(error.message) ? 'passing' : null
}

const ofConnection = /^(Connection terminated|timeout expired|Query read timeout)|not queryable$/

/** Reports whether statements prepared on this connection are not those that the server knows: others may be used. */
export const isStale = (error: unknown): boolean =>
  error instanceof Error && isFromServer(error) && ['0A000', '26000', '42P05'].includes(error.code)

/** Reports whether the server has answered with an error and goes on with the session: the statement had no effect. */
export const isRefusedByServer = (error: unknown): boolean =>
  error instanceof Error && isFromServer(error) && error.severity === 'ERROR'

const isFromServer = (error: Error): error is Error & { code: string; severity: string } =>
  'severity' in error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code))

/** Converts an error of the server or the connection into a refusal; others, mistakes of ours too, stay as they are. */
export function storeError(error: unknown): unknown {
  switch (troubleOf(error)) {
    case 'full':
      return refusal('store_full', 'the disk of the PostgreSQL server is full; nothing was changed', { cause: error })
    case 'passing':
    case 'race':
      return unusable(error)
    default:
      return error
  }
}

export const unusable = (error: unknown): AgencyError =>
  refusal('store_unusable', `PostgreSQL at DATABASE_URL cannot be used: ${reasonOf(error)}`, {
    hint: 'Check that the server runs and that DATABASE_URL names it; unset it to use the embedded store.',
    cause: error,
  })

/** The answer to a COMMIT was lost and nothing could be learned about it afterwards. */
export const unknownOutcome = (error: unknown): AgencyError =>
  refusal(
    'store_unusable',
    `PostgreSQL at DATABASE_URL was lost during a commit, and it is unknown whether it took place: ${reasonOf(error)}`,
    { hint: 'Look at the present state before you repeat the command.', data: { outcome: 'unknown' }, cause: error },
  )

const reasonOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error))
