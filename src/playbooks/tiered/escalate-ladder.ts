import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { QuestionClass } from '../../work/questions/contract.ts'
import type { Decision, PartChange, View } from '../contract.ts'
import { addStep, type Step, tell } from './base-steps.ts'

/**
 * Who stands above whom: T4 → T3 → the workstream's specialist → the lead of the architects → T1 → the operator. A tier
 * that is not on a workstream's path is left out. Always upward, never sideways.
 */
export type Rung = 't3' | 't2' | 't2_lead' | 't1'

export function ladderAbove({ tier, phase, workstream }: Brief, path: readonly string[]): Rung[] {
  const rungs: Rung[] = ['t3', 't2', 't2_lead', 't1']
  const there = rungs.filter(
    (rung) => rung === 't1' || (rung === 't3' ? path.includes('t3') : path.includes('t2') && workstream !== null),
  )
  if (tier === 't4' || tier === 't5') return there
  if (tier === 't3') return there.filter((rung) => rung !== 't3')
  if (tier !== 't2') return []
  return phase === 't2_specialist' || phase === 't2_conflict' ? ['t2_lead', 't1'] : ['t1']
}

export const refOf = (rung: Rung, workstream: string | null): string =>
  rung === 't1' ? 't1' : rung === 't2_lead' ? 't2/lead' : `${rung}/${workstream ?? 'lead'}`

/** Who answers for a brief, as events name it. */
export function authorOf({ tier, phase, workstream }: Brief): string {
  if (tier === null || tier === 't1') return 't1'
  if (tier === 't2' && phase !== 't2_specialist' && phase !== 't2_conflict') return 't2/lead'
  return `${tier}/${workstream ?? 'lead'}`
}

interface Escalated {
  readonly from: string
  readonly to: string
  readonly class: string
  readonly reason: string
  readonly tier: string
  readonly brief?: Brief
  readonly workstream?: string | null
}

export const escalated = (
  { from, to, class: cause, reason, tier, brief, workstream }: Escalated,
  parts?: readonly PartChange[],
): Decision =>
  tell(
    {
      kind: 'escalated',
      tier,
      code: 'ESCALATE',
      message: `${from} → ${to}: ${shorten(reason, 300)}`,
      data: { from, to, class: cause },
      ...(brief === undefined ? {} : { brief }),
      ...(workstream === undefined || workstream === null ? {} : { workstream }),
    },
    parts,
  )

/** What a resolve brief is about. */
export type About =
  | { readonly kind: 'brief'; readonly key: string; readonly id: string; readonly class: QuestionClass }
  | { readonly kind: 'squad'; readonly key: string; readonly scopes: readonly string[] }
  | { readonly kind: 'mesh'; readonly key: string }
  | { readonly kind: 'conflict'; readonly wave: number; readonly conflicts: unknown }

interface Resolve {
  readonly key: string
  readonly rung: Rung
  /** Who stands above this one, where it hands up. */
  readonly ladder: readonly Rung[]
  readonly part: string
  readonly workstream: string | null
  readonly about: About
  readonly title: string
  readonly objective: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly ownerId?: string | null
}

/** Whoever stands above is asked to answer, to give other work instead, or to hand it up. */
export const resolveStep = ({
  key,
  rung,
  ladder,
  part,
  workstream,
  about,
  title,
  objective,
  inputs,
  ownerId,
}: Resolve): Step => ({
  key: `${key}:${rung}`,
  phase: 'resolve',
  tier: rung === 't2_lead' ? 't2' : rung,
  title: shorten(title, 120),
  objective,
  part,
  label: `resolve (${refOf(rung, workstream)})`,
  workstream,
  ownerId: ownerId ?? null,
  inputs: { ...inputs, about, rung, ladder, resolve_key: key },
})

/** These are decided by nobody but the operator. */
const forOperator: readonly QuestionClass[] = ['permission', 'secret', 'budget', 'interrupted', 'note', 'gate']

/** A brief that cannot go on: one step up from where it was answered last, and past T1 the operator. */
export function escalate(
  view: View,
  brief: Brief,
  cause: QuestionClass,
  reason: string,
  parts?: readonly PartChange[],
): readonly Decision[] {
  if (forOperator.includes(cause)) return [...noted(parts), { kind: 'ask', brief, class: cause, reason }]
  return climb(view, brief, cause, reason, ladderAbove(brief, pathOf(brief)).slice(escalationsOf(brief)), parts)
}

const noted = (parts: readonly PartChange[] | undefined): Decision[] =>
  parts === undefined ? [] : [tell({ level: 'verbose', message: 'the operator is asked' }, parts)]

/** What stands for something else has gone up as often as that did: replacing must not go on for ever. */
export const escalationsOf = ({ escalations, inputs }: Brief): number =>
  escalations + (typeof inputs['escalations'] === 'number' ? inputs['escalations'] : 0)

export const pathOf = ({ inputs }: Brief): string[] => (Array.isArray(inputs['tier_path']) ? inputs['tier_path'] : [])

export function climb(
  view: View,
  brief: Brief,
  cause: QuestionClass,
  reason: string,
  [rung, ...ladder]: readonly Rung[],
  parts?: readonly PartChange[],
): readonly Decision[] {
  const from = authorOf(brief)
  const tier = (brief.tier ?? 't1').toUpperCase()
  if (rung === undefined)
    return [
      escalated({ from, to: 'operator', class: cause, reason, tier, brief }, parts),
      { kind: 'ask', brief, class: cause, reason },
    ]
  const to = refOf(rung, brief.workstream)
  return [
    escalated({ from, to, class: cause, reason, tier, brief }, parts),
    addStep(
      view,
      resolveStep({
        key: `resolve:${brief.key}:${brief.attempts}`,
        rung,
        ladder,
        part: brief.part as string,
        workstream: brief.workstream,
        ownerId: brief.ownerId,
        about: { kind: 'brief', key: brief.key, id: brief.id, class: cause },
        title: `Resolve ${brief.title}`,
        objective: `"${shorten(brief.title, 200)}" cannot go on: ${shorten(reason, 2_000)}`,
        inputs: { stuck: stuckOf(brief), reason: shorten(reason, 5_000), tier_path: pathOf(brief) },
      }),
    ),
  ]
}

const stuckOf = ({ key, tier, phase, title, objective, files, corrections, retriesUsed, retryBudget }: Brief) => ({
  key,
  tier,
  phase,
  title,
  objective: shorten(objective, 5_000),
  files,
  corrections,
  retries: `${retriesUsed} of ${retryBudget}`,
})
