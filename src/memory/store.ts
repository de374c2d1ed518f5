import { columns, countRows, integer, json, oneOf, optional, text } from '../db/columns.ts'
import { allOf } from '../db/conditions.ts'
import { boundLimit } from '../db/limit.ts'
import type { ReadTx } from '../db/port.ts'
import { sqlOf } from '../db/tx.ts'
import { noteName } from '../work/notes/contract.ts'
import type { QuestionOption } from '../work/questions/contract.ts'
import { type MemoryType, memoryTypes, type MissionMemory } from './contract.ts'

export interface MemoryQuery {
  missionId: string
  type?: MemoryType | undefined
  before?: Pick<MissionMemory, 'at' | 'id'> | undefined
}

/** Lists the settled questions and notes of a mission, newest first. */
export async function listMemories(tx: ReadTx, query: MemoryQuery, limit: number): Promise<MissionMemory[]> {
  const { source, where, values } = settled(query)
  const rows = await entries.all(
    sqlOf(tx),
    `SELECT * FROM (${source}) m WHERE ${where} ORDER BY at DESC, id DESC ${boundLimit}`,
    [...values, limit],
  )
  return rows.map(memoryOf)
}

export function countMemories(tx: ReadTx, query: MemoryQuery): Promise<number> {
  const { source, where, values } = settled(query)
  return countRows(sqlOf(tx), `SELECT COUNT(*) AS count FROM (${source}) m WHERE ${where}`, values)
}

/** Finds an entry of a mission by its id. */
export async function findMemory(tx: ReadTx, missionId: string, id: string): Promise<MissionMemory | undefined> {
  const { source, where, values } = settled({ missionId })
  const row = await entries.first(sqlOf(tx), `SELECT * FROM (${source}) m WHERE ${where} AND id = ?`, [...values, id])
  return row === undefined ? undefined : memoryOf(row)
}

/** The rows are those of the questions and notes themselves: a copy could differ from the note. */
const answers = `SELECT 'question' AS type, q.id, q.run_id, q.brief_id, n.number, q.text, q.context, q.asked_by,
q.created_at AS asked_at, q.options, q.answer, n.resolution, q.answered_by, q.answered_at AS at
FROM runs r JOIN questions q ON q.run_id = r.id LEFT JOIN notes n ON n.id = q.note_id AND n.status = 'resolved'
WHERE r.mission_id = ? AND q.status = 'answered'`

/** A note that an answer settled is an entry of its question. */
const resolutions = `SELECT 'note', n.id, n.run_id, n.brief_id, n.number, n.description, n.context,
CASE WHEN n.agent_id IS NULL THEN 'operator' ELSE 'agent:' || n.agent_id END, n.created_at, '[]', NULL, n.resolution,
CASE WHEN n.resolution_source = 'agent' AND n.agent_id IS NOT NULL THEN 'agent:' || n.agent_id ELSE n.resolution_source END, n.resolved_at
FROM runs r JOIN notes n ON n.run_id = r.id WHERE r.mission_id = ? AND n.status = 'resolved'
AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.note_id = n.id AND q.status = 'answered')`

function settled({ missionId, type, before }: MemoryQuery) {
  const { where, values } = allOf(
    type !== undefined && ['type = ?', [type]],
    before !== undefined && ['(at, id) < (?, ?)', [before.at, before.id]],
  )
  return { source: `${answers} UNION ALL ${resolutions}`, where, values: [missionId, missionId, ...values] }
}

const entries = columns({
  type: oneOf(memoryTypes),
  id: text,
  runId: text,
  briefId: optional(text),
  number: optional(integer),
  text,
  context: text,
  askedBy: text,
  askedAt: text,
  options: json<QuestionOption[]>(),
  answer: optional(text),
  resolution: optional(text),
  answeredBy: optional(text),
  at: text,
})

type Entry = ReturnType<(typeof entries)['read']>

function memoryOf({ number, options, answer, resolution, answeredBy, ...entry }: Entry): MissionMemory {
  const chosen = options.find(({ key }) => key === answer)
  return {
    ...entry,
    noteId: number === null ? null : noteName({ number }),
    answer: resolution ?? chosen?.label ?? answer ?? '',
    answeredBy: answeredBy ?? 'engine',
  }
}
