import type { Tx } from '../../db/port.ts'
import { record, updated } from '../../events/change.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Run } from './contract.ts'
import { runs } from './store.ts'

/** Takes a failed run out of the inbox, once: a second request finds it dismissed and changes nothing. */
export async function dismissRun(tx: Tx, run: Run, by: string): Promise<Run> {
  if (run.dismissedAt !== null) return run
  if (run.status !== 'failed')
    throw refusal(
      'illegal_transition',
      `run ${run.id} is ${run.status}; only a failed run is in the inbox until it is dismissed`,
      {
        data: { from: run.status, to: 'dismissed' },
      },
    )
  const patch = { dismissedAt: tx.at }
  await record(
    tx,
    {
      kind: 'run_dismissed',
      by,
      runId: run.id,
      level: 'verbose',
      message: 'the failed run was dismissed from the inbox',
      data: {},
    },
    [updated(runs, run, patch)],
  )
  return { ...run, ...patch }
}
