import { useMemo, useState } from 'react'

import { runStateText } from '../../src/kernel/run-state.ts'
import type { Attempt } from '../../src/work/attempts/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { type Node, NodeTree } from '../parts/node-tree.tsx'
import type { State } from '../parts/state.tsx'
import { toggleKey } from '../parts/tree-keys.ts'
import type { Inspection } from '../queries.ts'
import { addresses } from '../router.tsx'
import { progressText, runState } from '../runs/state.ts'
import { attemptState, briefState } from './state.ts'

/** Shows the run, its briefs and their attempts; a verifying brief is below the brief that it verifies. */
export function RunTree({ inspection, current }: { inspection: Inspection; current: string | null }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const nodes = useMemo(() => nodesOf(inspection, toggled), [inspection, toggled])
  return (
    <NodeTree
      nodes={nodes}
      current={current}
      label="Briefs and attempts"
      onToggle={(key) => setToggled((before) => toggleKey(before, key))}
    />
  )
}

/** A brief starts open if it has more to show than its state: while it is working, and after more than one attempt. */
const startsOpen = (brief: HeldBrief): boolean => brief.attempts > 1 || briefState(brief).tone === 'working'

function nodesOf({ run, state, progress, briefs, attempts }: Inspection, toggled: ReadonlySet<string>): Node[] {
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.briefId)
  const verifiersOf = Map.groupBy(briefs, (brief) => brief.verifies)
  const roots = briefs.filter((brief) => brief.verifies === null)
  const nodes: Node[] = [
    {
      key: run.id,
      level: 1,
      size: 'tall',
      to: addresses.run(run.id),
      title: run.playbook,
      state: {
        ...runState(state),
        text: `${runStateText(state)} · ${progressText(progress)}`,
      },
      expanded: null,
      period: null,
      position: 1,
      siblings: 1,
    },
  ]

  const addBrief = (brief: HeldBrief, level: 2 | 3, position: number, siblings: number): void => {
    const own = attemptsOf.get(brief.id) ?? []
    const verifiers = level === 2 ? (verifiersOf.get(brief.id) ?? []) : []
    const below = own.length + verifiers.length
    const expanded = below === 0 ? null : startsOpen(brief) !== toggled.has(brief.id)
    nodes.push({
      key: brief.id,
      level,
      size: 'tall',
      to: addresses.brief(run.id, brief.id),
      title: brief.title,
      state: treeState(brief),
      expanded,
      period: null,
      position,
      siblings,
    })
    if (expanded !== true) return
    let at = 0
    own.forEach((attempt, index) => {
      nodes.push(attemptNode(attempt, index, level === 2 ? 3 : 4, (at += 1), below))
      // The verifier of an attempt is below it, before the next attempt.
      for (const verifier of verifiers.filter((each) => each.verifiesAttempt === index + 1))
        addBrief(verifier, 3, (at += 1), below)
    })
    for (const verifier of verifiers.filter((each) => (each.verifiesAttempt ?? 0) > own.length))
      addBrief(verifier, 3, (at += 1), below)
  }

  roots.forEach((brief, index) => addBrief(brief, 2, index + 1, roots.length))
  return nodes
}

export const attemptNode = (
  attempt: Attempt,
  index: number,
  level: number,
  position: number,
  siblings: number,
): Node => ({
  key: attempt.id,
  level,
  size: 'low',
  to: addresses.attempt(attempt.runId, attempt.briefId, attempt.id),
  title: `attempt ${index + 1}`,
  state: attemptState(attempt),
  expanded: null,
  period: attempt.startedAt === null ? null : { from: attempt.startedAt, to: attempt.endedAt },
  position,
  siblings,
})

/** Adds to the state that a brief has no checkable evidence: the operator should know before it is done. */
function treeState(brief: HeldBrief): State {
  const state = briefState(brief)
  return brief.checkable || brief.kind !== 'work' ? state : { ...state, text: `${state.text} · no checkable evidence` }
}
