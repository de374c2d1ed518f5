import { type Change, inserted, record, updated } from '../../../events/change.ts'
import { shorten } from '../../../kernel/text.ts'
import { writeAuthored } from '../../artifacts/write.ts'
import type { Brief, BriefSpec } from '../../briefs/contract.ts'
import { cancelBrief } from '../../briefs/cancel.ts'
import { createBriefs, peopleOf, plannedBrief } from '../../briefs/create.ts'
import { amendBrief } from '../../briefs/drafts.ts'
import { touchBrief } from '../../briefs/moves.ts'
import { findBriefByKey } from '../../briefs/store.ts'
import { gates, listPendingOfRun } from '../../gates/store.ts'
import type { RunScope } from '../../scope.ts'
import type { BriefChange, PlanAmendment } from '../contract.ts'
import { amendments } from '../store.ts'
import { type CurrentPlan, readCurrentPlan } from './current.ts'
import { diffOfPlans, documentOf, type Shown } from './diff.ts'
import { shownIn } from './preview.ts'

/** The document with the versions of an amended plan. */
const planDocument = 'plan'

/**
 * Applies checked changes of a plan in the caller's transaction and records them as its next version. Briefs are removed
 * last: the playbook ends a run without open briefs.
 */
export async function applyToPlan(
  scope: RunScope,
  current: CurrentPlan,
  wanted: PlanAmendment,
): Promise<PlanAmendment> {
  const { add, change, remove } = wanted.changes
  if (current.version === 1) await writePlan(scope, 'engine', current)
  await addToPlan(scope, current, add)
  for (const each of change) {
    await changeBrief(scope, current, each, wanted.status === 'proposed')
    if (each.after !== undefined) await waitFor(scope, current, each.key, each.after)
  }
  const changed = await readCurrentPlan(scope)
  const gone = new Set(remove)
  const target = { ...changed, briefs: new Map([...changed.briefs].filter(([key]) => !gone.has(key))) }
  const specs = new Map(add.map((spec) => [spec.key, spec]))
  const diff = diffOfPlans(
    [current.version, wanted.version],
    wanted.touched.map((key) => ({ key, before: shownIn(current, key), after: shownIn(target, key, specs.get(key)) })),
  )
  const amendment: PlanAmendment = { ...wanted, status: 'applied', diff }
  await recordPlan(scope, wanted, amendment)
  await writePlan(scope, 'operator', target)
  for (const key of remove) {
    const brief = await findBriefByKey(scope.tx, scope.run.id, key)
    if (brief !== undefined && scope.run.endedAt === null)
      await cancelBrief(scope, brief, `the plan was amended: ${shorten(wanted.reason, 300)}`)
  }
  return amendment
}

async function recordPlan(scope: RunScope, wanted: PlanAmendment, amendment: PlanAmendment): Promise<void> {
  const { tx, run } = scope
  const { proposedBy, reason, version, changes } = amendment
  const text = planText(amendment)
  await record(
    tx,
    {
      kind: 'plan_amended',
      by: scope.by,
      runId: run.id,
      level: 'normal',
      code: 'AMEND',
      message: text,
      data: {
        amendment_id: amendment.id,
        proposed_by: proposedBy,
        reason,
        version,
        added: keysOf(changes.add),
        changed: keysOf(changes.change),
        removed: changes.remove,
      },
    },
    [
      wanted.status === 'proposed'
        ? updated(amendments, wanted, { status: 'applied', diff: amendment.diff })
        : inserted(amendments, amendment),
      ...(await gateChanges(scope, text)),
    ],
  )
}

/** Names the amendment in the summary of a plan that waits for approval. */
const gateChanges = async ({ tx, run }: RunScope, text: string): Promise<Change[]> =>
  (await listPendingOfRun(tx, run.id))
    .filter(({ gate }) => gate === 'plan')
    .map((gate) =>
      updated(gates, gate, { summary: { ...gate.summary, amendments: [...(gate.summary.amendments ?? []), text] } }),
    )

export function planText({ version, changes, proposedBy, reason }: PlanAmendment): string {
  const { add, change, remove } = changes
  const parts = [
    ...(add.length === 0 ? [] : [`adds ${listed(keysOf(add))}`]),
    ...(change.length === 0 ? [] : [`changes ${listed(keysOf(change))}`]),
    ...(remove.length === 0 ? [] : [`removes ${listed(remove)}`]),
  ]
  return `plan version ${version} ${parts.join(', ')}, by ${proposedBy}: ${reason}`
}

const keysOf = (briefs: readonly { readonly key: string }[]): string[] => briefs.map(({ key }) => key)

const listed = (keys: readonly string[]): string =>
  keys.length > 8 ? `${keys.slice(0, 7).join(', ')} and ${keys.length - 7} more` : keys.join(', ')

async function addToPlan(scope: RunScope, current: CurrentPlan, specs: readonly BriefSpec[]): Promise<void> {
  if (specs.length === 0) return
  const added = new Set(keysOf(specs))
  await createBriefs(
    scope,
    specs.map((spec) => ({ ...spec, after: spec.after.filter((key) => added.has(key)) })),
  )
  for (const { key, after } of specs)
    if (after.some((name) => !added.has(name))) await waitFor(scope, current, key, after)
}

async function changeBrief(
  scope: RunScope,
  current: CurrentPlan,
  change: BriefChange,
  isProposed: boolean,
): Promise<void> {
  const brief = current.briefs.get(change.key)?.brief
  if (brief === undefined) return
  const { title, objective = brief.objective, context = brief.context, evidence } = change
  const spec: BriefSpec = { key: brief.key, objective, after: [], ...(evidence === undefined ? {} : { evidence }) }
  const wanted = plannedBrief(scope, spec, brief.id, 0, await peopleOf(scope, []))
  const hadOwnTitle = title !== undefined || brief.title !== titleOf(brief)
  const patch: Partial<Brief> = {
    title: title ?? (hadOwnTitle ? brief.title : wanted.title),
    objective,
    context,
    ...(evidence === undefined ? {} : { evidence: wanted.evidence }),
    ...(evidence === undefined ? {} : isProposed ? judgedAsNew(scope, brief) : judgedAs(brief, wanted)),
  }
  await touchBrief(scope, brief, `${brief.key} is amended before it starts`, patch)
}

/** A brief without checkable evidence gets a verifier, unless its author chose otherwise. */
const judgedAs = (brief: Brief, { checkable, verify }: Brief): Partial<Brief> => ({
  checkable,
  verify: brief.verifyFixed || brief.verifierId !== null ? brief.verify : verify,
})

/**
 * An agent must not turn off the verifier by evidence of its own choice, or replace the operator's evidence without one:
 * the brief is judged as a new one of an agent is.
 */
const judgedAsNew = ({ run: { configuration } }: RunScope, brief: Brief): Partial<Brief> => ({
  checkable: brief.checkable && configuration.evidence.length > 0,
  verify: configuration.verify === 'none' || brief.verifyFixed ? brief.verify : 'agent',
})

/** Returns the title of a brief whose author gave it none. */
const titleOf = ({ objective }: Brief): string => shorten(objective.split('\n')[0] as string, 120)

/** Makes a brief wait for these, and for the remainders that were split from them. */
async function waitFor(scope: RunScope, current: CurrentPlan, key: string, after: readonly string[]): Promise<void> {
  const brief = await findBriefByKey(scope.tx, scope.run.id, key)
  if (brief === undefined) return
  await amendBrief(scope, brief, { after: after.flatMap((name) => [name, ...(current.remainders.get(name) ?? [])]) })
}

/** Stores the plan as a document, whose versions are those of the plan. */
async function writePlan(scope: RunScope, author: string, plan: CurrentPlan): Promise<void> {
  const briefs = [...plan.briefs.keys()].map((key) => documentOf(shownIn(plan, key) as Shown))
  await writeAuthored(scope, author, planDocument, { goal: scope.run.goalAnchor, briefs })
}
