import { useEffect, useMemo } from 'react'

import { runStateText } from '../../src/kernel/run-state.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { NodeTree } from '../parts/node-tree.tsx'
import type { State } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses } from '../router.tsx'
import { progressText, runState } from '../runs/state.ts'
import { type Branch, briefBranch, visibleNodes } from './branches.ts'
import { stateOfAll, workersText } from './progress.ts'
import { briefState } from './state.ts'
import { TreePane } from './tree-pane.tsx'
import { useOpenness } from './use-openness.ts'

/** Shows the run, its briefs and their attempts; a verifying brief is below the brief that it verifies. */
export function RunTree({ inspection, current }: { inspection: Inspection; current: string | null }) {
  const { isOpen, set } = useOpenness()
  const root = useMemo(() => rootOf(inspection), [inspection])
  const nodes = useMemo(() => visibleNodes(root, isOpen), [root, isOpen])
  useEffect(() => {
    const brief = inspection.briefs.find((each) => each.id === current)
    if (brief !== undefined) set(groupKeysOf(inspection.briefs, brief), true)
    // Only when another brief is selected: its group may be closed again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [current])
  return (
    <TreePane inspection={inspection} current={current}>
      <NodeTree
        nodes={nodes}
        current={current}
        label="Briefs and attempts"
        onToggle={(key) => set([key], nodes.find((each) => each.key === key)?.expanded === false)}
      />
    </TreePane>
  )
}

/** A flat list of more briefs is shown in groups of this size. */
const most = 60
const groupSize = 25

export function rootOf({
  run,
  state,
  progress,
  briefs,
  attempts,
}: Pick<Inspection, 'run' | 'state' | 'progress' | 'briefs' | 'attempts'>): Branch {
  const roots = rootsOf(briefs)
  const work = {
    attempts: Map.groupBy(attempts, (attempt) => attempt.briefId),
    verifiers: Map.groupBy(
      briefs.filter((brief) => brief.verifies !== null),
      (brief) => brief.verifies,
    ),
  }
  const isSmall = roots.length <= most
  const branch = (brief: HeldBrief): Branch =>
    briefBranch(brief, work, { state: treeState(brief), isOpen: isSmall && startsOpen(brief) })
  const group = (members: readonly HeldBrief[], index: number): Branch => {
    const state = stateOfAll(members)
    return {
      key: groupKey(index),
      title: `Briefs ${index * groupSize + 1} to ${index * groupSize + members.length}`,
      state: { ...state, text: workersText(members) },
      isOpen: state.tone === 'bad' || state.tone === 'waiting' || state.tone === 'working',
      below: () => members.map(branch),
    }
  }
  return {
    key: run.id,
    title: run.goalAnchor,
    hint: run.playbook,
    to: addresses.run(run.id),
    state: {
      ...runState(state),
      text: `${runStateText(state)} · ${progressText(progress)}`,
    },
    isOpen: true,
    isEmpty: roots.length === 0,
    below: () => (isSmall ? roots.map(branch) : groupsOf(roots).map(group)),
  }
}

const rootsOf = (briefs: readonly HeldBrief[]): HeldBrief[] => briefs.filter((brief) => brief.verifies === null)

const groupsOf = (roots: readonly HeldBrief[]): HeldBrief[][] =>
  Array.from({ length: Math.ceil(roots.length / groupSize) }, (_, index) =>
    roots.slice(index * groupSize, (index + 1) * groupSize),
  )

const groupKey = (index: number): string => `group:${index}`

/** Returns the keys of the branches that must be open for a brief to be visible. */
function groupKeysOf(briefs: readonly HeldBrief[], brief: HeldBrief): string[] {
  const roots = rootsOf(briefs)
  const at = roots.findIndex((each) => each.id === (brief.verifies ?? brief.id))
  return [
    ...(at < 0 || roots.length <= most ? [] : [groupKey(Math.floor(at / groupSize))]),
    ...(brief.verifies === null ? [] : [brief.verifies]),
  ]
}

/** A brief starts open if it has more to show than its state: while it is working, and after more than one attempt. */
const startsOpen = (brief: HeldBrief): boolean => brief.attempts > 1 || briefState(brief).tone === 'working'

/** Adds to the state that a brief has no checkable evidence: the operator should know before it is done. */
function treeState(brief: HeldBrief): State {
  const state = briefState(brief)
  return brief.checkable || brief.kind !== 'work' ? state : { ...state, text: `${state.text} · no checkable evidence` }
}
