import type { ReadTx } from '../../db/port.ts'
import { findRow, table } from '../../db/table.ts'
import type { RunStep } from './contract.ts'

export const runSteps = table<RunStep>('run_steps', {
  key: ['briefId'],
  json: ['result'],
  stream: (row) => `run:${row.runId}`,
})

export const findRunStep = (tx: ReadTx, briefId: string): Promise<RunStep | undefined> => findRow(tx, runSteps, briefId)
