import { updated } from '../../events/change.ts'
import type { Amendment } from './contract.ts'
import { amendments } from './store.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

/** Records that the next higher tier was informed; it approves nothing. */
export async function acknowledge(scope: RunScope, amendment: Amendment, by: string): Promise<void> {
  await touchRun(
    scope,
    {},
    {
      kind: 'amendment_ack',
      level: 'normal',
      workstream: amendment.workstream,
      code: 'AMEND',
      by,
      message: `${by} has acknowledged the new path of ${amendment.workstream}`,
      data: { amendment_id: amendment.id, by },
    },
    [updated(amendments, amendment, { acknowledgedBy: by })],
  )
}
