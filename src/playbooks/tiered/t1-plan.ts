import { counted } from '../../kernel/amounts.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, PartChange, View } from '../contract.ts'
import type { TierPlan } from './contract.ts'
import { startReplanned, onReplanRejected } from './t1-replan.ts'
import { documents, keys, runPart, wavePart, workstreamPart } from './base-names.ts'
import { isUsualPath } from './t1-plan-faults.ts'
import { changedRun, type RunData, runOf, type WaveData, type WorkstreamData } from './base-state.ts'
import { addOrRepeat, addStep, passStep, line, type Step, log } from './base-steps.ts'
import { planSummary } from './base-gate-summary.ts'
import { listed } from './base-text.ts'
import { openWave } from './base-waves.ts'
import { withChanges } from './base-view.ts'

export function startRun(view: View): readonly Decision[] {
  const { run } = view
  const data: RunData = { multiplier: 1, waves: 0, wave: 0, lead: 'none', rejections: 0, surfaced: [], redo: [] }
  const part = { key: runPart, parent: null, status: 'open', data: { ...data } } as const
  const known: View = { ...view, found: { ...view.found, parts: { [runPart]: { ...rowOf(run), ...part } } } }
  return [
    log(line('T1', 'PLAN_START', `Assessing scope: "${shorten(oneLine(run.goalAnchor), 120)}"`), [part]),
    addStep(known, {
      key: keys.plan,
      phase: 't1_plan',
      tier: 't1',
      title: 'Plan the work',
      objective:
        'Divide the goal into workstreams, choose the tiers that each needs, and state what can run in parallel.',
      part: runPart,
      label: 'plan',
      inputs: { run_id: run.id, goal_anchor: run.goalAnchor },
    }),
  ]
}

const rowOf = (run: View['run']) => ({
  runId: run.id,
  head: null,
  domainHead: null,
  heldBy: null,
  createdAt: run.startedAt,
  updatedAt: run.startedAt,
})

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Stores the plan and adds the critique: its author reviews it exactly once. */
export function onPlan(view: View, brief: Brief, plan: TierPlan): readonly Decision[] {
  return [
    { kind: 'write_document', brief, name: documents.draft, content: plan },
    passStep(brief),
    log(line('T1', 'PLAN_DONE', headline(plan), { brief })),
    addOrRepeat(view, critiqueOf(view, brief, plan), 'the plan has changed'),
  ]
}

const critiqueOf = ({ run }: View, owner: Brief, plan: TierPlan): Step => ({
  key: keys.critique,
  phase: 't1_critique',
  tier: 't1',
  title: 'Criticise the plan',
  objective: 'Look once for what could go wrong and what is missing, and write the whole plan again, amended.',
  part: runPart,
  label: 'critique',
  ownerId: owner.id,
  inputs: { run_id: run.id, goal_anchor: run.goalAnchor, plan },
})

/** `3 workstreams — backend-api, infra, docs (2 parallel)` */
function headline({ workstreams, parallelism: { groups } }: TierPlan): string {
  const parallel = Math.max(...Object.values(groups).map((members) => members.length))
  const names = listed(
    workstreams.map(({ id }) => id),
    8,
  )
  return `${counted(workstreams.length, 'workstream')} — ${names} (${parallel} parallel)`
}

export function onCritique(view: View, brief: Brief, plan: TierPlan): readonly Decision[] {
  return [
    { kind: 'write_document', brief, name: documents.plan, content: plan },
    passStep(brief),
    log(line('T1', 'CRITIQUE_DONE', shorten(oneLine(plan.self_critique_summary), 200), { brief })),
    ...plan.workstreams
      .filter(({ tier_path }) => !isUsualPath(tier_path))
      .slice(0, 20)
      .map(({ id, tier_path }) =>
        log({ tier: 'T1', message: `unusual path of ${id}: ${tier_path.join(' → ')}`, workstream: id, brief }),
      ),
    {
      kind: 'open_gate',
      gate: 't1_plan',
      part: runPart,
      summary: planSummary(view, plan),
      message: `⏸ Waiting on approval before ${firstTier(plan)} spawns`,
    },
  ]
}

const firstTier = ({ workstreams, parallelism: { groups, sequence } }: TierPlan): string => {
  const first = groups[sequence[0] as string] ?? []
  const heads = workstreams.filter(({ id }) => first.includes(id)).map(({ tier_path }) => tier_path[0] as string)
  return heads.toSorted()[0]?.toUpperCase() ?? 'T2'
}

export function onPlanApproved(view: View): readonly Decision[] {
  if (runOf(view).replan !== undefined) return startReplanned(view)
  const plan = view.found.documents[documents.plan] as TierPlan
  const { sequence, groups } = plan.parallelism
  const waves = sequence.map((group, index): PartChange => {
    const data: WaveData = { group, conflictCycles: 0, isGuided: false, designing: [] }
    return { key: wavePart(index + 1), parent: runPart, status: index === 0 ? 'open' : 'waiting', data: { ...data } }
  })
  const waveOf = new Map(sequence.flatMap((group, index) => (groups[group] ?? []).map((id) => [id, index + 1])))
  const streams = plan.workstreams.map((workstream) => ({
    id: workstream.id,
    wave: waveOf.get(workstream.id) as number,
    data: dataOfWorkstream(workstream),
  }))
  const known = changedRun(view, {
    complexity: plan.complexity,
    multiplier: plan.retry_budget_multiplier,
    waves: sequence.length,
    wave: 1,
  })
  const logged = log(
    {
      tier: 'T1',
      level: 'verbose',
      message: `${counted(streams.length, 'workstream')} in ${counted(sequence.length, 'group')}`,
    },
    [
      known,
      ...waves,
      ...streams.map(({ id, wave, data }) => ({
        key: workstreamPart(id),
        parent: wavePart(wave),
        status: wave === 1 ? ('open' as const) : ('waiting' as const),
        data: { ...data },
      })),
    ],
  )
  const first = streams.filter(({ wave }) => wave === 1)
  return [logged, ...openWave(withChanges(view, [known]), 1, first)]
}

const dataOfWorkstream = ({
  name,
  domain,
  tier_path,
  t2_specialist,
}: TierPlan['workstreams'][number]): WorkstreamData => ({
  name,
  domain,
  path: tier_path,
  specialist: t2_specialist,
  revision: 1,
  isDesigned: !tier_path.includes('t2'),
})

/** Sends the plan back to its author with the reason; the critique follows as after the first plan. */
export function onPlanRejected(view: View, reason: string): readonly Decision[] {
  if (runOf(view).replan !== undefined) return onReplanRejected(view, reason)
  const brief = view.found.briefs[keys.plan] as Brief
  return [{ kind: 'send_back', brief, reason, class: 'rejected' }]
}
