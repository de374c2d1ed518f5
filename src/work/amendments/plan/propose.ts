import { isDeepStrictEqual } from 'node:util'

import { inserted, updated } from '../../../events/change.ts'
import { AgencyError, refusal } from '../../../kernel/errors.ts'
import { shorten } from '../../../kernel/text.ts'
import type { BriefSpec } from '../../briefs/contract.ts'
import { faultOfCast } from '../../briefs/cast.ts'
import { faultOfPlan } from '../../briefs/create.ts'
import type { GateRow } from '../../gates/contract.ts'
import { openGate } from '../../gates/open.ts'
import { findGate } from '../../gates/store.ts'
import { touchRun } from '../../runs/moves.ts'
import type { RunScope } from '../../scope.ts'
import type { Amendment, PlanAmendment, PlanChanges } from '../contract.ts'
import { amendments, listPlanProposals } from '../store.ts'
import { amendmentGate } from '../record.contract.ts'
import { refuseUnamendable } from './amendable.ts'
import { applyToPlan, planText } from './apply.ts'
import { checkChanges } from './check.ts'
import { type CurrentPlan, readCurrentPlan } from './current.ts'
import { previewDiff } from './preview.ts'

/**
 * Returns the changes that an agent may propose. As for a planner, runtimes and proving commands are the operator's to
 * choose, the operator's evidence stays, and new work is judged by a verifier.
 */
export async function proposedChanges({ tx, run }: RunScope, changes: PlanChanges): Promise<PlanChanges> {
  const { configuration, organisationId } = run
  const alone = (spec: Pick<BriefSpec, 'key' | 'evidence'>): BriefSpec => ({ objective: '–', ...spec, after: [] })
  const fault =
    faultOfPlan([...changes.add.map((spec) => ({ ...spec, after: [] })), ...changes.change.map(alone)]) ??
    (await faultOfCast(tx, changes.add, organisationId))
  if (fault !== null) throw refusal('invalid_input', fault, { hint: 'Change the proposal and call the tool again.' })
  const withOwn = <Spec extends Pick<BriefSpec, 'evidence'>>(spec: Spec): Spec =>
    configuration.planner || spec.evidence === undefined
      ? spec
      : { ...spec, evidence: [...configuration.evidence, ...spec.evidence] }
  return {
    add: changes.add.map((spec) => ({
      ...withOwn(spec),
      ...(configuration.verify === 'none' ? {} : { verify: 'agent' as const }),
    })),
    change: changes.change.map(withOwn),
    remove: changes.remove,
  }
}

/** Lets the operator decide about a change of the plan; until then no further work of the run starts. */
export async function proposePlan(
  scope: RunScope,
  current: CurrentPlan,
  wanted: PlanAmendment,
): Promise<PlanAmendment> {
  const { tx, run } = scope
  for (const earlier of await listPlanProposals(tx, run.id)) await refuseAgain(scope, earlier, wanted.changes)
  const diff = await previewDiff(scope, current, wanted)
  const { change, remove } = wanted.changes
  const proven = change.filter(({ evidence }) => evidence !== undefined).map(({ key }) => key)
  const gate = await openGate(scope, {
    gate: amendmentGate,
    message: `⏸ Waiting on approval: ${wanted.proposedBy} wants another plan`,
    summary: {
      produced: `${wanted.proposedBy} proposes ${planText(wanted)}\n${shorten(diff, 8_000)}`,
      next: 'Approve to change the plan; reject with a reason to keep it.',
      anomalies: [
        ...(remove.length === 0 ? [] : [`The run would do without ${shorten(remove.join(', '), 300)}`]),
        ...(proven.length === 0 ? [] : [`The evidence would change of ${shorten(proven.join(', '), 300)}`]),
      ],
    },
  })
  const proposed: PlanAmendment = { ...wanted, status: 'proposed', gateId: gate.id, diff }
  await touchRun(
    scope,
    {},
    {
      kind: 'log',
      level: 'normal',
      code: 'AMEND',
      message: `${wanted.proposedBy} proposes ${planText(proposed)}`,
      data: { amendment_id: proposed.id, proposed_by: wanted.proposedBy, gate_id: gate.id },
    },
    [inserted(amendments, proposed)],
  )
  return proposed
}

/** An agent must not halt its run again and again with the same wish. */
async function refuseAgain(
  { tx }: RunScope,
  { status, gateId, changes }: Amendment,
  wanted: PlanChanges,
): Promise<void> {
  const data = { gate_id: gateId }
  if (status === 'proposed')
    throw refusal('conflict', 'a change of this plan waits for the operator already', {
      hint: 'Continue with your work: the operator decides about the plan.',
      data,
    })
  const gate = gateId === null ? undefined : await findGate(tx, gateId)
  if (gate?.status === 'rejected' && isDeepStrictEqual(changes, JSON.parse(JSON.stringify(wanted))))
    throw refusal('conflict', 'the operator has rejected this change', {
      hint: 'Continue with your work on the plan as it is.',
      data,
    })
}

/** Follows the operator's decision about a proposal; one that no longer fits the plan is rejected. */
export async function settlePlanProposal(scope: RunScope, gate: GateRow, proposed: PlanAmendment): Promise<void> {
  const why = gate.status === 'approved' ? await faultOf(scope, proposed) : (gate.reason ?? 'rejected')
  if (why === null) {
    await applyToPlan(scope, await readCurrentPlan(scope), proposed)
    return
  }
  await touchRun(
    scope,
    {},
    {
      kind: 'log',
      level: 'normal',
      code: 'AMEND',
      message: `the plan stays as it is: ${shorten(why, 300)}`,
      data: { amendment_id: proposed.id },
    },
    [updated(amendments, proposed, { status: 'rejected' })],
  )
}

/** Returns the reason why an approved change can no longer be made, or null. */
async function faultOf(scope: RunScope, { version, changes }: PlanAmendment): Promise<string | null> {
  try {
    await refuseUnamendable(scope)
    const current = await readCurrentPlan(scope)
    if (current.version !== version - 1) return `it has version ${current.version} by now`
    checkChanges(scope, current, changes)
    return null
  } catch (error) {
    if (error instanceof AgencyError && error.code !== 'bug') return error.message
    throw error
  }
}
