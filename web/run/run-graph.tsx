import { useCallback } from 'react'

import { Graph } from '../graph/graph.tsx'
import { flatModel } from '../graph/model.ts'
import type { Inspection } from '../queries.ts'
import { tieredModel } from '../tiers/graph.ts'
import type { Team } from '../tiers/team.ts'

/** Draws the briefs of a run: with lanes for a run in tiers, by dependencies otherwise. */
export function RunGraph({
  inspection,
  team,
  current,
}: {
  inspection: Inspection
  team: Team | null
  current: string | null
}) {
  const model = useCallback(
    (opened: ReadonlySet<string>) =>
      team === null ? flatModel(inspection.briefs, inspection.dependencies, opened) : tieredModel(inspection, opened),
    [inspection, team],
  )
  return <Graph model={model} current={current} />
}
