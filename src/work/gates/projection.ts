import type { FileProjection } from '../../projections/files.ts'
import type { GateRow } from './contract.ts'
import { listGates } from './store.ts'

/** Returns the pending gates as JSON. */
const projectGates = (pending: readonly GateRow[]): string =>
  `${JSON.stringify(
    {
      gates: pending.map((gate) => ({
        run_id: gate.runId,
        gate: gate.gate,
        pending_since: gate.pendingSince,
        summary: gate.summary,
      })),
    },
    null,
    2,
  )}\n`

/** Far more than a person reads; the longest waiting come first. */
const most = 10_000

export const gateFile = (path: string): FileProjection => ({
  name: 'pending_gates',
  path,
  render: async (tx) => projectGates(await listGates(tx, 'pending', most)),
})
