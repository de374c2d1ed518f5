import type { Brief } from '../../work/briefs/contract.ts'
import type { Decision, View } from '../contract.ts'
import type { Bounds } from './contract.ts'
import { publishBoundaries } from './t2-design.ts'
import { documents, wavePart } from './base-names.ts'
import { settingsOf } from './base-settings.ts'
import { changed, changedRun, runOf, type WorkstreamData } from './base-state.ts'
import { log } from './base-steps.ts'
import { boundsSummary } from './base-gate-summary.ts'
import { openWave, streamsOf } from './base-waves.ts'
import { withChanges } from './base-view.ts'

/** Publishes boundaries and assumptions; the specialists follow, or the operator's inspection where its gate is on. */
export function onBoundaries(view: View, brief: Brief, bounds: Bounds): readonly Decision[] {
  const written = publishBoundaries(brief, bounds)
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
  if (!settingsOf(view.run).gates.t2Lead) return [...written, ...onBoundariesApproved(known)]
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

/** Starts the specialists. A workstream whose path has become shorter in the meantime gets no design. */
export function onBoundariesApproved(view: View): readonly Decision[] {
  const { wave } = runOf(view)
  const change = changedRun(view, { lead: 'done' })
  const streams = streamsOf(view, wave).filter(({ part, data }) => part.status === 'open' && !data.isDesigned)
  const short = streams
    .filter(({ data }) => !data.path.includes('t2'))
    .map(({ part }) => changed<WorkstreamData>(part, { isDesigned: true }))
  return [
    log({ tier: 'T2', level: 'verbose', message: 'boundaries are in force' }, [change, ...short]),
    ...openWave(withChanges(view, [change]), wave, streams),
  ]
}
