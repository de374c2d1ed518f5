import { column, columns, flag, integer, json, oneOf, optional, text, textOf } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { findRows, findRowsByKey } from '../../db/table.ts'
import { sqlOf } from '../../db/tx.ts'
import type { CheckedIn } from '../../kernel/checked-in.ts'
import { systemPersona } from '../../kernel/ids.ts'
import type { Attempt } from '../attempts/contract.ts'
import { attempts } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import type { BriefStatus } from '../briefs/states.ts'
import { briefs } from '../briefs/store.ts'
import { type Check, checkRounds, type Odd } from '../evidence/contract.ts'
import { checks, oddOfVerdict } from '../evidence/store.ts'
import type { Note } from '../notes/contract.ts'
import { notes } from '../notes/store.ts'
import type { Verdict } from '../verdicts/contract.ts'
import { verdicts } from '../verdicts/store.ts'
import type { Author } from './contract.ts'

/** The few columns of every claim that the statement about a whole run needs. */
export interface ClaimLine {
  briefId: string
  key: string
  status: BriefStatus
  checkable: boolean
  attemptId: string | null
  fence: number | null
  checkedIn: CheckedIn | null
  boxed: boolean | null
  odd: Odd[] | null
  contradiction: string | null
}

/** The rows of a whole run, or those about one of its briefs. */
export interface ClaimScope {
  runId: string
  briefId?: string | undefined
}

/**
 * Lists the claims of a run in the order of its plan; cancelled briefs claim nothing. A brief that is named is listed
 * whatever it is.
 */
export async function listClaimLines(tx: ReadTx, { runId, briefId }: ClaimScope): Promise<ClaimLine[]> {
  const which = briefId === undefined ? "b.kind = 'work' AND b.status <> 'cancelled'" : 'b.id = ?'
  const rows = await claimLines.all(
    sqlOf(tx),
    `SELECT b.id AS brief_id, b.key, b.status, b.checkable, b.attempt_id, a.fence, a.checked_in, a.boxed, a.odd, ${oddOfVerdict} AS verdict_odd, a.contradiction
FROM briefs b LEFT JOIN attempts a ON a.id = b.attempt_id
WHERE b.run_id = ? AND ${which} ORDER BY COALESCE(b.number, 1000000000), b.created_at, b.id`,
    valuesOf(runId, briefId),
  )
  return rows.map(({ verdictOdd, ...line }) => ({
    ...line,
    odd: line.odd === null ? null : [...(verdictOdd ?? []), ...line.odd],
  }))
}

const claimLines = columns({
  briefId: text,
  key: text,
  status: textOf<BriefStatus>(),
  checkable: flag,
  attemptId: optional(text),
  fence: optional(integer),
  checkedIn: optional(textOf<CheckedIn>()),
  boxed: optional(flag),
  odd: optional(json<Odd[]>()),
  verdictOdd: optional(json<Odd[]>()),
  contradiction: optional(text),
})

/** How many checks of an attempt ended in one way. */
export interface CheckTally {
  attemptId: string
  round: Check['round']
  kind: string
  passed: boolean
  boxed: boolean
  count: number
}

/** Counts the checks of the newest attempt of each claim. */
export const countChecks = (tx: ReadTx, { runId, briefId }: ClaimScope): Promise<CheckTally[]> =>
  tallies.all(
    sqlOf(tx),
    `SELECT c.attempt_id, c.round, c.kind, c.passed, c.boxed, COUNT(*) AS count
FROM checks c JOIN briefs b ON b.attempt_id = c.attempt_id
WHERE c.run_id = ? AND ${briefId === undefined ? "b.kind = 'work'" : 'b.id = ?'} GROUP BY c.attempt_id, c.round, c.kind, c.passed, c.boxed`,
    valuesOf(runId, briefId),
  )

const tallies = columns({
  attemptId: text,
  round: oneOf(checkRounds),
  kind: text,
  passed: flag,
  boxed: flag,
  count: integer,
})

export type VerdictLine = Pick<Verdict, 'briefId' | 'attempt' | 'verdict'>

export const listVerdictLines = (tx: ReadTx, { runId, briefId }: ClaimScope): Promise<VerdictLine[]> =>
  verdictLines.all(
    sqlOf(tx),
    `SELECT brief_id, attempt, verdict FROM verdicts WHERE run_id = ?${briefId === undefined ? '' : ' AND brief_id = ?'}`,
    valuesOf(runId, briefId),
  )

const verdictLines = columns({ briefId: text, attempt: integer, verdict: oneOf(['pass', 'partial', 'fail']) })

/** Lists the keys of briefs with notes that are not settled. */
export const listUnsettledKeys = (tx: ReadTx, { runId, briefId }: ClaimScope): Promise<string[]> =>
  keys.all(
    sqlOf(tx),
    `SELECT DISTINCT b.key FROM notes n JOIN briefs b ON b.id = n.brief_id
WHERE n.run_id = ? AND n.status <> 'resolved' AND b.status <> 'cancelled'${briefId === undefined ? '' : ' AND b.id = ?'} ORDER BY b.key`,
    valuesOf(runId, briefId),
  )

/** Lists the keys of cancelled work. */
export const listCancelledKeys = (tx: ReadTx, { runId, briefId }: ClaimScope): Promise<string[]> =>
  keys.all(
    sqlOf(tx),
    `SELECT key FROM briefs WHERE run_id = ? AND kind = 'work' AND status = 'cancelled'${briefId === undefined ? '' : ' AND id = ?'} ORDER BY key`,
    valuesOf(runId, briefId),
  )

const keys = column('key', text)

/** The system works under its own name only where no persona was cast, and has done nothing itself. */
export const authorName = `CASE WHEN p.id = ${systemPersona} THEN 'an agent' ELSE p.name END`

/** Lists the agents of these numbers, with the attempts that they made. */
export async function listAuthors(tx: ReadTx, agentIds: readonly number[]): Promise<Author[]> {
  if (agentIds.length === 0) return []
  return authors.all(
    sqlOf(tx),
    `SELECT g.id AS agent_id, a.id AS attempt_id, p.slug AS persona,
${authorName} AS name, a.runtime, a.simulated, a.boxed
FROM agents g JOIN attempts a ON a.agent_id = g.id JOIN personas p ON p.id = g.persona_id WHERE g.id IN (${marksOf(agentIds)})`,
    agentIds,
  )
}

const authors = columns({
  agentId: integer,
  attemptId: text,
  persona: text,
  name: text,
  runtime: text,
  simulated: flag,
  boxed: flag,
})

export const listBriefsById = (tx: ReadTx, ids: readonly string[]): Promise<Brief[]> => findRowsByKey(tx, briefs, ids)

export const listAttemptsById = (tx: ReadTx, ids: readonly string[]): Promise<Attempt[]> =>
  findRowsByKey(tx, attempts, ids)

/** Lists the checks of these attempts in all rounds, each item with its rounds one after the other. */
export async function listChecksOf(tx: ReadTx, attemptIds: readonly string[]): Promise<Check[]> {
  if (attemptIds.length === 0) return []
  const found = await findRows(
    tx,
    checks,
    `attempt_id IN (${marksOf(attemptIds)}) ORDER BY attempt_id, item`,
    attemptIds,
  )
  const rankOf = ({ round }: Check): number => checkRounds.indexOf(round)
  return found.sort((one, other) => one.item - other.item || rankOf(one) - rankOf(other))
}

export const listVerdictsOf = async (tx: ReadTx, briefIds: readonly string[]): Promise<Verdict[]> =>
  briefIds.length === 0
    ? []
    : findRows(tx, verdicts, `brief_id IN (${marksOf(briefIds)}) ORDER BY attempt, at, id`, briefIds)

export const listNotesOf = async (tx: ReadTx, briefIds: readonly string[]): Promise<Note[]> =>
  briefIds.length === 0 ? [] : findRows(tx, notes, `brief_id IN (${marksOf(briefIds)}) ORDER BY number`, briefIds)

const valuesOf = (runId: string, briefId: string | undefined): string[] =>
  briefId === undefined ? [runId] : [runId, briefId]

const marksOf = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
