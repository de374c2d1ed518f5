import { column, columns, integer, json, oneOf, optional, text } from '../../db/columns.ts'
import type { ReadTx } from '../../db/port.ts'
import { sqlOf } from '../../db/tx.ts'
import type { Brief } from '../briefs/contract.ts'
import { listBriefsById } from '../briefs/store.ts'
import { type Attempt, CheckedIn } from './contract.ts'

/** The outputs of an attempt that was accepted, for the briefs that are handed them. */
export interface AcceptedOutputs {
  readonly briefId: string
  readonly fence: number
  readonly outputs: Attempt['outputs']
  readonly checkedIn: Attempt['checkedIn']
  /** The brief whose directory the maker works in, which is another one for the rest of a brief. */
  readonly rootId: string
  readonly rootKey: string
  /** The run of the maker: that of the brief, or an earlier one that it continues. */
  readonly runId: string
}

/**
 * Lists the outputs that a brief is handed: those of the briefs that it waits for, and of those that its playbook named.
 * The rest of a brief and its verifier are handed what that brief is. The newest accepted attempt of each counts; a brief
 * that is done again has none meanwhile.
 */
export async function listAcceptedOutputs(tx: ReadTx, brief: Brief): Promise<AcceptedOutputs[]> {
  const others = [brief.remainderOf, brief.verifies].filter((id) => id !== null)
  const ofOthers = others.length === 0 ? [] : await listBriefsById(tx, others)
  const named = [brief, ...ofOthers].flatMap(({ receives }) => receives)
  const waited = await idsIn(tx, 'SELECT after_id AS id FROM dependencies WHERE brief_id IN (#)', [brief.id, ...others])
  // A brief that waits for another one waits for its rest too.
  const rests = await idsIn(tx, `SELECT id FROM briefs WHERE run_id = ? AND remainder_of IN (#)`, named, [brief.runId])
  const makers = [...new Set([...waited, ...named, ...rests])]
  if (makers.length === 0) return []
  const found = await accepted.all(sqlOf(tx), acceptedText.replace('#', marksFor(makers)), [...makers, brief.runId])
  // A brief and its rest work in one directory, whose files the rest may change; its verifier has them too.
  const own = new Set([brief, ...ofOthers].map(({ id, remainderOf }) => remainderOf ?? id))
  return found.filter(({ rootId }) => !own.has(rootId))
}

/** Lists the accepted outputs of the other parts of a brief, in the order in which these were made. */
export const listEarlierOutputs = (tx: ReadTx, { id, remainderOf }: Brief): Promise<Attempt['outputs'][]> =>
  outputs.all(
    sqlOf(tx),
    `SELECT a.outputs FROM attempts a JOIN briefs b ON b.id = a.brief_id
WHERE (b.id = ? OR b.remainder_of = ?) AND b.id <> ? AND b.verifies IS NULL AND a.outcome IN ('ok', 'partial_output')
ORDER BY b.created_at, b.number, b.id, a.fence`,
    [remainderOf, remainderOf, id],
  )

const outputs = column('outputs', json<Attempt['outputs']>())

const idsIn = async (
  tx: ReadTx,
  sql: string,
  values: readonly string[],
  before: readonly string[] = [],
): Promise<string[]> =>
  values.length === 0 ? [] : ids.all(sqlOf(tx), sql.replace('#', marksFor(values)), [...before, ...values])

const marksFor = (values: readonly string[]): string => values.map(() => '?').join(', ')

const ids = column('id', text)

const accepted = columns({
  briefId: text,
  fence: integer,
  outputs: json<Attempt['outputs']>(),
  checkedIn: optional(oneOf(CheckedIn.options)),
  rootId: text,
  rootKey: text,
  runId: text,
})

/**
 * The rest of a brief is made after it, so that its version of a file comes last. A run that continues another one names
 * only accepted briefs of it: those that waited for the end of the run were cancelled with it.
 */
const acceptedText = `SELECT a.brief_id, a.fence, a.outputs, a.checked_in, r.id AS root_id, r.key AS root_key, b.run_id
FROM attempts a JOIN briefs b ON b.id = a.brief_id JOIN briefs r ON r.id = COALESCE(b.remainder_of, b.id)
WHERE a.brief_id IN (#) AND b.verifies IS NULL AND (b.status IN ('ready_for_verification', 'verified', 'done') OR b.run_id <> ?)
AND a.fence = (SELECT MAX(n.fence) FROM attempts n WHERE n.brief_id = a.brief_id AND n.outcome IN ('ok', 'partial_output'))
ORDER BY b.created_at, b.number, b.id`
