import type { ReadTx } from '../db/port.ts'
import { findRow, table } from '../db/table.ts'
import type { Agent } from './contract.ts'

export const agents = table<Agent>('agents', {
  stream: (row) => (row.runId === null ? 'system' : `run:${row.runId}`),
})

export const findAgent = (tx: ReadTx, id: number): Promise<Agent | undefined> => findRow(tx, agents, id)
