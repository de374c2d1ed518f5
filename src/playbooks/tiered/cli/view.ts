import type { EventLine } from '../../../events/cli.ts'
import type { Inspection } from '../../../work/runs/cli/inspection.ts'
import type { PlaybookView } from '../../../work/runs/cli/playbook-view.ts'
import { jointLines, jointVerdicts } from './joint-verdicts.ts'
import { ofTier, standings, type TierName, tierLines, tierNames, tierOf, tierText, tierTree } from './tiers.ts'

export const tieredView: PlaybookView = {
  overview: tierTree,
  levels: tierNames,
  levelText: (screen, shown, level) => tierText(screen, shown, level as TierName),
  levelLines: (screen, shown, level) => tierLines(screen, shown, level as TierName),
  ofLevel: (shown, level) => ofTier(shown, level as TierName),
  summary: (shown) => ({ tiers: standings(shown) }),
  verdictLines: (screen, shown) => jointVerdicts(shown).flatMap((verdict) => jointLines(screen, verdict)),
  rankOf,
  tagged,
}

/** Ranks: T4 → T3 → the workstream's specialist → the lead of the architects → T1 → the lead of the organisation → the operator. */
function rankOf(receiver: string): number {
  if (receiver === 'operator') return 6
  if (receiver.startsWith('lead:')) return 5
  if (receiver === 't2/lead') return 3
  return { t3: 1, t2: 2, t1: 4 }[receiver.slice(0, 2)] ?? 0
}

/** Adds the tier to events: one without a tier belongs to the tier of its brief, and without a brief to T1. */
function tagged(print: (event: EventLine) => void, shown?: Inspection): (event: EventLine) => void {
  const tiers = new Map(
    shown?.briefs.flatMap((brief) => {
      const tier = tierOf(brief)
      return tier === undefined ? [] : [[brief.id, tier.toUpperCase()] as const]
    }),
  )
  return (event) => {
    const { brief_id: brief, tier } = event
    if (brief !== null && tier !== null && tier !== 'GATE') tiers.set(brief, tier)
    print({ ...event, tier: tier ?? tiers.get(brief ?? '') ?? 'T1' })
  }
}
