import { useEffect, useMemo, useState } from 'react'

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
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const nodes = useMemo(() => tierNodes(inspection, team, chosen), [inspection, team, chosen])
  const brief = inspection.briefs.find((each) => each.id === current)
  useEffect(() => {
    if (brief === undefined) return
    const ancestors = ancestorsOf(brief, inspection.briefs)
    setChosen((before) => new Map([...before, ...ancestors.map((key) => [key, true] as const)]))
    // Only when another brief is selected: its branches may be closed again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [current])
  return (
    <NodeTree
      nodes={nodes}
      current={brief?.id ?? 'run'}
      label="Tiers, workstreams and briefs"
      folds
      onToggle={(key) => {
        const node = nodes.find((each) => each.key === key)
        if (node !== undefined && node.expanded !== null)
          setChosen((before) => new Map(before).set(key, node.expanded !== true))
      }}
    />
  )
}
