import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { QuestionClass } from '../../work/questions/contract.ts'
import type { Decision, PartChange } from '../contract.ts'
import { type Step, log } from './base-steps.ts'
import { dataOfBrief } from './contract.ts'

/**
 * A rung of the escalation ladder: T4 → T3 → the workstream's specialist → the lead architect → T1 → the operator. A
 * tier that is not on a workstream's path is left out. Always upward, never sideways.
 */
export type Rung = 't3' | 't2' | 't2_lead' | 't1'

export function ladderAbove(brief: Brief, path: readonly string[]): Rung[] {
  const { tier, workstream } = dataOfBrief(brief)
  const { phase } = brief
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

/** Returns the author of a brief, as events name it. */
export function authorOf(brief: Brief): string {
  const { tier, workstream } = dataOfBrief(brief)
  const { phase } = brief
  if (tier === 't1') return 't1'
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

export const logEscalation = (
  { from, to, class: cause, reason, tier, brief, workstream }: Escalated,
  parts?: readonly PartChange[],
): Decision =>
  log(
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

/** The subject of a resolve brief. */
export type About =
  | {
      readonly kind: 'brief'
      readonly key: string
      readonly id: string
      readonly class: QuestionClass
      /** Absent in a run that an earlier release has begun. */
      readonly question?: string
    }
  | { readonly kind: 'squad'; readonly key: string; readonly scopes: readonly string[] }
  | { readonly kind: 'mesh'; readonly key: string }
  | { readonly kind: 'conflict'; readonly wave: number; readonly conflicts: unknown }

interface Resolve {
  readonly key: string
  readonly rung: Rung
  /** The rungs above this one, for a decision that is handed up. */
  readonly ladder: readonly Rung[]
  readonly part: string
  readonly workstream: string | null
  readonly about: About
  readonly title: string
  readonly objective: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly ownerId?: string | null
}

/** Returns the step that asks the tier above to answer, to replace the work, or to hand the decision up. */
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

/** Asks about a stuck brief: its question climbs the tiers above its last answer, then goes to the lead and the operator. */
export const escalate = (brief: Brief, cause: QuestionClass, reason: string): Decision => ({
  kind: 'ask',
  brief,
  class: cause,
  reason,
})

/** Returns the number of escalations, including those of the brief it replaces: otherwise replacements would never end. */
export const escalationsOf = ({ escalations, inputs }: Brief): number =>
  escalations + (typeof inputs['escalations'] === 'number' ? inputs['escalations'] : 0)

export const pathOf = ({ inputs }: Brief): string[] => (Array.isArray(inputs['tier_path']) ? inputs['tier_path'] : [])

export const stuckOf = ({ data, key, phase, title, objective, corrections, retriesUsed, retryBudget }: Brief) => ({
  key,
  tier: dataOfBrief({ data }).tier,
  phase,
  title,
  objective: shorten(objective, 5_000),
  files: dataOfBrief({ data }).files,
  corrections,
  retries: `${retriesUsed} of ${retryBudget}`,
})
