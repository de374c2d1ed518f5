import { updated } from '../events/change.ts'
import type { Amendment } from '../work/amendments/contract.ts'
import { amendments } from '../work/amendments/store.ts'
import { type RunScope } from '../work/scope.ts'
import { touchRun } from '../work/runs/moves.ts'

/** The next higher tier was told; it approves nothing. */
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
      message: `${by} knows of the new path of ${amendment.workstream}`,
      data: { amendment_id: amendment.id, by },
    },
    [updated(amendments, amendment, { acknowledgedBy: by })],
  )
}
