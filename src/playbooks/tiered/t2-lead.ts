import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, View } from '../contract.ts'
import type { Bounds } from './contract.ts'
import { bounded } from './t2-design.ts'
import { documents, wavePart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'
import { changed, changedRun, runOf, type WorkstreamData } from './base-state.ts'
import { tell } from './base-steps.ts'
import { boundsSummary } from './base-gate-summary.ts'
import { openWave, streamsOf } from './base-waves.ts'
import { withChanges } from './base-view.ts'

/** Boundaries and assumptions are there; the specialists follow, or the operator looks first. */
export function leadReady(view: View, brief: Brief, bounds: Bounds): readonly Decision[] {
  const written = bounded(brief, bounds)
  const known: View = {
    ...view,
    found: {
      ...view.found,
      briefs: { ...view.found.briefs, [brief.key]: brief },
      documents: {
        ...view.found.documents,
        [documents.boundaries]: bounds.domain_boundaries,
        [documents.assumptions]: bounds.shared_assumptions,
      },
    },
  }
  if (!settingsOf(view.run).gates.t2Lead) return [...written, ...leadApproved(known)]
  return [
    ...written,
    {
      kind: 'open_gate',
      gate: 't2_lead',
      part: wavePart(runOf(view).wave),
      summary: boundsSummary(known),
      message: '⏸ T2 boundaries ready for review',
    },
  ]
}

/** The path of a workstream may have become shorter meanwhile: then nobody designs it. */
export function leadApproved(view: View): readonly Decision[] {
  const { wave } = runOf(view)
  const change = changedRun(view, { lead: 'done' })
  const streams = streamsOf(view, wave).filter(({ part, data }) => part.status === 'open' && !data.isDesigned)
  const short = streams
    .filter(({ data }) => !data.path.includes('t2'))
    .map(({ part }) => changed<WorkstreamData>(part, { isDesigned: true }))
  return [
    tell({ tier: 'T2', level: 'verbose', message: 'boundaries hold from now on' }, [change, ...short]),
    ...openWave(withChanges(view, [change]), wave, streams),
  ]
}
