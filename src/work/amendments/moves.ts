import { inserted, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { PathAmendment } from './contract.ts'
import { amendments } from './store.ts'
import type { RunScope } from '../scope.ts'
import { touchRun } from '../runs/moves.ts'

/** Records a change of a path, which takes effect at once; the tier above is informed. */
export async function recordAmendment(scope: RunScope, wanted: PathAmendment): Promise<PathAmendment> {
  const { paths } = scope.playbook
  if (paths === undefined) throw bug(`the playbook "${scope.playbook.name}" takes no paths`)
  const { workstream, proposedBy, reason, beforePath: before, afterPath: after } = wanted
  const amendment: PathAmendment = { ...wanted, status: 'applied' }
  await touchRun(
    scope,
    {},
    {
      kind: 'path_amendment',
      level: 'normal',
      ...paths.tagsOf(proposedBy),
      workstream,
      code: 'AMEND',
      message: amendmentText(amendment),
      data: { amendment_id: amendment.id, proposed_by: proposedBy, reason, before, after },
    },
    [
      wanted.status === 'proposed'
        ? updated(amendments, wanted, { status: 'applied' })
        : inserted(amendments, amendment),
    ],
  )
  await scope.decide({ kind: 'amended', amendment })
  return amendment
}

export const amendmentText = ({ workstream, beforePath, afterPath, proposedBy, reason }: PathAmendment): string =>
  `${workstream}: ${beforePath.join(' → ')} becomes ${afterPath.join(' → ')}, by ${proposedBy}: ${reason}`

/** Records that the next higher tier was informed; it approves nothing. */
export async function acknowledge(scope: RunScope, amendment: PathAmendment, by: string): Promise<void> {
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
