import type { ReadTx, Tx } from '../db/port.ts'
import { findRow, table } from '../db/table.ts'
import { nextCounter } from '../db/tx.ts'
import type { Agent } from './contract.ts'

export const agents = table<Agent>('agents', {
  stream: (row) => (row.runId === null ? 'system' : `run:${row.runId}`),
})

export const findAgent = (tx: ReadTx, id: number): Promise<Agent | undefined> => findRow(tx, agents, id)

export const nextAgentId = (tx: Tx): Promise<number> => nextCounter(tx, 'agents')
