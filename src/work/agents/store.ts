import { columns, integer, oneOf, optional, text } from '../../db/columns.ts'
import { allOf, ofRunsOf } from '../../db/conditions.ts'
import { boundLimit } from '../../db/limit.ts'
import type { ReadTx, SqlValue, Tx } from '../../db/port.ts'
import { findRow, findRows, table } from '../../db/table.ts'
import { nextCounter, sqlOf } from '../../db/tx.ts'
import { type Change, updated } from '../../events/change.ts'
import type { Agent, AgentView } from './contract.ts'

export const agents = table<Agent>('agents', {
  stream: (row) => (row.runId === null ? 'system' : `run:${row.runId}`),
})

/** An agent starts and ends with its attempt. */
export const workingAgent = (attempt: AgentOf): Change => updated(agents, keyOf(attempt), { state: 'working' })

export const endedAgent = (attempt: AgentOf, at: string): Change =>
  updated(agents, keyOf(attempt), { state: 'ended', endedAt: at })

interface AgentOf {
  agentId: number
  runId: string
}

/** A change needs only the key and the stream of a row, so the row is not read first. */
const keyOf = ({ agentId, runId }: AgentOf): Agent => ({ id: agentId, runId }) as Agent

export const findAgentRow = (tx: ReadTx, id: number): Promise<Agent | undefined> => findRow(tx, agents, id)

/** Lists live and ended agents of a seat: none of them may refer to a deleted seat. */
export const listAgentsOnSeat = (tx: ReadTx, positionId: number): Promise<Agent[]> =>
  findRows(tx, agents, 'position_id = ? ORDER BY id', [positionId])

/** Reserves `count` new ids and returns the first. */
export const nextAgentIds = (tx: Tx, count: number): Promise<number> => nextCounter(tx, 'agents', count)

/** Lists the agents of one run, or the live agents of all runs, in the order of their creation. */
export async function listAgents(
  tx: ReadTx,
  runId: string | undefined,
  limit: number,
  organisationId?: number,
): Promise<AgentView[]> {
  const { where, values } = allOf(
    runId === undefined ? ["g.state <> 'ended'", []] : ['a.run_id = ?', [runId]],
    ofRunsOf(organisationId, 'a.run_id'),
  )
  return findViews(tx, `${where} ORDER BY g.id ${boundLimit}`, [...values, limit])
}

export const findAgent = async (tx: ReadTx, agentId: number): Promise<AgentView | undefined> =>
  (await findViews(tx, 'g.id = ?', [agentId]))[0]

async function findViews(tx: ReadTx, where: string, values: readonly SqlValue[]): Promise<AgentView[]> {
  const rows = await shown.all(
    sqlOf(tx),
    `SELECT g.id AS agent_id, p.slug AS persona, g.state, g.runtime, a.run_id, a.id AS attempt_id, a.brief_id, b.key AS brief,
b.cap_key AS tier, b.group_key AS workstream, a.outcome, g.created_at, g.ended_at AS closed_at FROM agents g JOIN attempts a ON a.agent_id = g.id JOIN briefs b ON b.id = a.brief_id
JOIN personas p ON p.id = g.persona_id WHERE ${where}`,
    values,
  )
  return rows.map((row) => ({ ...row, state: row.state === 'ended' ? 'closed' : row.state }))
}

const shown = columns({
  agentId: integer,
  persona: text,
  state: oneOf(['starting', 'working', 'ended']),
  runtime: text,
  runId: text,
  attemptId: text,
  briefId: text,
  brief: text,
  tier: optional(text),
  workstream: optional(text),
  outcome: optional(text),
  createdAt: text,
  closedAt: optional(text),
})
