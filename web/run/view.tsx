import type { ReactNode } from 'react'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { NotesView } from '../notes/view.tsx'
import { RunOutput } from '../output/run-output.tsx'
import { createLazy } from '../parts/lazy.tsx'
import type { Inspection } from '../queries.ts'
import { type RunView, useAddress } from '../router.tsx'
import type { Team } from '../tiers/team.ts'
import { BriefTable } from './brief-table.tsx'
import { DecisionsView } from './decisions-view.tsx'
import { EvidenceView } from './evidence-view.tsx'
import { RunLog } from './log-pane.tsx'
import { Overview } from './overview.tsx'
import { placeOf } from './views.ts'

const ChangesView = createLazy(
  { name: 'The changes' },
  async () => (await import('../pull-requests/changes-view.tsx')).ChangesView,
)

const RunGraph = createLazy({ name: 'The graph' }, async () => (await import('./run-graph.tsx')).RunGraph)
const TimelineView = createLazy(
  { name: 'The timeline' },
  async () => (await import('./timeline-view.tsx')).TimelineView,
)
const CostView = createLazy({ name: 'The cost' }, async () => (await import('./cost-view.tsx')).CostView)
const PlanView = createLazy({ name: 'The plan' }, async () => (await import('../tiers/plan-view.tsx')).PlanView)
const ArchitectureView = createLazy(
  { name: 'The architecture' },
  async () => (await import('../tiers/architecture-view.tsx')).ArchitectureView,
)
const TasksView = createLazy({ name: 'The tasks' }, async () => (await import('../tiers/tasks-view.tsx')).TasksView)
const VerdictsView = createLazy(
  { name: 'The verdicts' },
  async () => (await import('../tiers/verdicts-view.tsx')).VerdictsView,
)

interface ViewProps {
  inspection: Inspection
  /** Whether the briefs and their parts are known; the overview begins without them. */
  isWhole: boolean
  /** null: the run is not tiered, and has none of the views of tiers. */
  team: Team | null
  view: RunView
  brief: HeldBrief | undefined
  briefId: string | null
  /** The chosen brief, which the view of the briefs shows instead of all. */
  chosen: ReactNode
}

export function View({ inspection, isWhole, team, view, brief, briefId, chosen }: ViewProps) {
  const { run } = inspection
  const { hash, query } = useAddress()
  switch (view) {
    case 'overview':
      return <Overview inspection={inspection} isWhole={isWhole} />
    case 'tree':
      return chosen ?? <BriefTable inspection={inspection} />
    case 'plan':
      return team && <PlanView inspection={inspection} team={team} />
    case 'architecture':
      return team && <ArchitectureView inspection={inspection} team={team} />
    case 'tasks':
      return team && <TasksView inspection={inspection} team={team} />
    case 'verdicts':
      return team && <VerdictsView inspection={inspection} team={team} />
    case 'graph':
      return <RunGraph inspection={inspection} team={team} current={brief?.id ?? null} />
    case 'time':
      return <TimelineView inspection={inspection} />
    case 'cost':
      return <CostView inspection={inspection} />
    case 'changes':
      return <ChangesView run={run} />
    case 'evidence':
      return <EvidenceView inspection={inspection} />
    case 'notes':
      return <NotesView inspection={inspection} />
    case 'decisions':
      return <DecisionsView inspection={inspection} />
    case 'log':
      return <RunLog runId={run.id} ended={run.endedAt !== null} place={placeOf(run.id, briefId, 'log')} hash={hash} />
    case 'output':
      return <RunOutput inspection={inspection} brief={brief} chosen={query.get('attempt')} />
  }
}
