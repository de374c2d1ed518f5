import { useEffect, useMemo } from 'react'

import { TreePane } from '../briefs/tree-pane.tsx'
import { useOpenness } from '../briefs/use-openness.ts'
import { NodeTree } from '../parts/node-tree.tsx'
import type { Inspection } from '../queries.ts'
import { ancestorsOf, tierNodes } from './nodes.ts'
import type { Team } from './team.ts'

/** Shows the run by tiers. Branches that the reader opened or closed stay so during live updates. */
export function TierTree({
  inspection,
  team,
  current,
}: {
  inspection: Inspection
  team: Team
  current: string | null
}) {
  const { isOpen, set } = useOpenness()
  const nodes = useMemo(() => tierNodes(inspection, team, isOpen), [inspection, team, isOpen])
  const brief = inspection.briefs.find((each) => each.id === current)
  useEffect(() => {
    if (brief !== undefined) set(ancestorsOf(brief, inspection.briefs), true)
    // Only when another brief is selected: its branches may be closed again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [current])
  return (
    <TreePane inspection={inspection} current={current}>
      <NodeTree
        nodes={nodes}
        current={brief?.id ?? 'run'}
        label="Tiers, workstreams and briefs"
        onToggle={(key) => set([key], nodes.find((each) => each.key === key)?.expanded === false)}
      />
    </TreePane>
  )
}
