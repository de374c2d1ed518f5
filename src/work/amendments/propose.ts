import { inserted, updated } from '../../events/change.ts'
import { AgencyError, bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { listKeysBegun } from '../briefs/store.ts'
import type { GateRow } from '../gates/contract.ts'
import { openGate } from '../gates/open.ts'
import { findPart } from '../parts/store.ts'
import { touchRun } from '../runs/moves.ts'
import type { RunScope } from '../scope.ts'
import { AmendPath, type Amendment, isOfPath, isOfPlan, type PathAmendment } from './contract.ts'
import { amendmentText, recordAmendment } from './moves.ts'
import { settlePlanProposal } from './plan/propose.ts'
import { amendmentGate } from './record.contract.ts'
import { amendments, findProposal, listProposals } from './store.ts'

/** Lets the operator decide about a change of a path; until then no further work of the run starts. */
export async function proposeAmendment(scope: RunScope, wanted: PathAmendment): Promise<PathAmendment> {
  const { tx, run, playbook } = scope
  const { workstream, proposedBy, beforePath, afterPath } = wanted
  for (const earlier of await listProposals(tx, run.id, workstream)) refuseAgain(earlier, afterPath)
  const removed = beforePath.filter((tier) => !afterPath.includes(tier))
  const gate = await openGate(scope, {
    gate: amendmentGate,
    boundary: `part:${playbook.paths?.partOf(workstream)}`,
    message: `⏸ Waiting on approval: ${proposedBy} wants another path for ${workstream}`,
    summary: {
      produced: `${proposedBy} proposes a change that it may not make itself: ${amendmentText(wanted)}`,
      next: 'Approve to change the path; reject with a reason to keep it.',
      anomalies: removed.length === 0 ? [] : [`The work of ${workstream} would pass without ${removed.join(', ')}`],
    },
  })
  const proposed: PathAmendment = { ...wanted, status: 'proposed', gateId: gate.id }
  await touchRun(
    scope,
    {},
    {
      kind: 'log',
      level: 'normal',
      ...playbook.paths?.tagsOf(proposedBy),
      workstream,
      code: 'AMEND',
      message: `${proposedBy} proposes ${amendmentText(proposed)}`,
      data: { amendment_id: proposed.id, proposed_by: proposedBy, gate_id: gate.id },
    },
    [inserted(amendments, proposed)],
  )
  return proposed
}

/** An agent must not halt its run again and again with the same wish. */
function refuseAgain({ status, gateId, afterPath }: Amendment, wanted: readonly string[]): void {
  if (status === 'proposed')
    throw refusal('conflict', 'a change of this path waits for the operator already', {
      hint: 'Continue with your work: the operator decides about the path.',
      data: { gate_id: gateId },
    })
  if (afterPath.join() === wanted.join())
    throw refusal('conflict', 'the operator has rejected this change', {
      hint: 'Continue with your work on the path as it is.',
      data: { gate_id: gateId },
    })
}

/** Follows the operator's decision about a proposal. Work that has started meanwhile keeps its path. */
export async function settleProposal(scope: RunScope, gate: GateRow): Promise<void> {
  const { tx, run } = scope
  const proposed = await findProposal(tx, run.id, gate.id)
  if (proposed !== undefined && isOfPlan(proposed)) return settlePlanProposal(scope, gate, proposed)
  if (proposed === undefined || !isOfPath(proposed)) throw bug(`gate ${gate.id} is about no proposal`)
  const why = gate.status === 'approved' ? await faultOf(scope, proposed) : (gate.reason ?? 'rejected')
  if (why === null) {
    await recordAmendment(scope, proposed)
    return
  }
  await touchRun(
    scope,
    {},
    {
      kind: 'log',
      level: 'normal',
      workstream: proposed.workstream,
      code: 'AMEND',
      message: `${proposed.workstream} keeps its path: ${shorten(why, 300)}`,
      data: { amendment_id: proposed.id },
    },
    [updated(amendments, proposed, { status: 'rejected' })],
  )
}

/** Returns the reason why an approved change can no longer be made, or null. */
async function faultOf({ tx, run, playbook }: RunScope, proposed: PathAmendment): Promise<string | null> {
  const { workstream, beforePath, afterPath, reason } = proposed
  const paths = playbook.paths
  const part = paths === undefined ? undefined : await findPart(tx, run.id, paths.partOf(workstream))
  if (paths === undefined || part === undefined) throw bug(`workstream ${workstream} of run ${run.id} vanished`)
  if (part.status === 'done' || part.status === 'cancelled') return `it is ${part.status}`
  if ((part.data['path'] as string[]).join() !== beforePath.join()) return 'it was changed meanwhile'
  const change = {
    runId: run.id,
    workstream,
    reason,
    addTiers: afterPath.filter((tier) => !beforePath.includes(tier)),
    removeTiers: beforePath.filter((tier) => !afterPath.includes(tier)),
  }
  try {
    paths.amend(beforePath, await listKeysBegun(tx, run.id, workstream), AmendPath.parse(change))
    return null
  } catch (error) {
    if (error instanceof AgencyError && error.code !== 'bug') return error.message
    throw error
  }
}
