import type { ReadTx, Tx } from '../db/port.ts'
import { findRows, table } from '../db/table.ts'
import { nextCounter } from '../db/tx.ts'
import { type Change, updated } from '../events/change.ts'
import type { Agent } from './contract.ts'

export const agents = table<Agent>('agents', {
  stream: (row) => (row.runId === null ? 'system' : `run:${row.runId}`),
})

/** An agent lives and ends with its attempt. */
export const workingAgent = (attempt: AgentOf): Change => updated(agents, keyOf(attempt), { state: 'working' })

export const endedAgent = (attempt: AgentOf, at: string): Change =>
  updated(agents, keyOf(attempt), { state: 'ended', endedAt: at })

interface AgentOf {
  agentId: number
  runId: string
}

/** Key and stream are all that changing a row takes, so it is not read first. */
const keyOf = ({ agentId, runId }: AgentOf): Agent => ({ id: agentId, runId }) as Agent

/** Live or not: none of them may point at a seat that is gone. */
export const listAgentsOnSeat = (tx: ReadTx, positionId: number): Promise<Agent[]> =>
  findRows(tx, agents, 'position_id = ? ORDER BY id', [positionId])

/** The first of `count` new ids. */
export const nextAgentIds = (tx: Tx, count: number): Promise<number> => nextCounter(tx, 'agents', count)
