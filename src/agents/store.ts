import type { Tx } from '../db/port.ts'
import { table } from '../db/table.ts'
import { nextCounter } from '../db/tx.ts'
import { type Change, updated } from '../events/change.ts'
import type { Agent } from './contract.ts'

export const agents = table<Agent>('agents', {
  stream: (row) => (row.runId === null ? 'system' : `run:${row.runId}`),
})

/** An agent ends with its attempt; key and stream are all that changing its row takes, so it is not read first. */
export const endedAgent = (attempt: { agentId: number; runId: string }, at: string): Change =>
  updated(agents, { id: attempt.agentId, runId: attempt.runId } as Agent, { state: 'ended', endedAt: at })

/** The first of `count` new ids. */
export const nextAgentIds = (tx: Tx, count: number): Promise<number> => nextCounter(tx, 'agents', count)
