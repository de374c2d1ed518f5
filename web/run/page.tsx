import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'

import { BoxLabel } from '../box/attempt-box.tsx'
import { NoBoxBanner } from '../box/banner.tsx'
import { BriefDetail } from '../briefs/detail.tsx'
import { RunTree } from '../briefs/tree.tsx'
import { DecisionCards } from '../decisions/cards.tsx'
import { briefOf, pendingDecisions } from '../decisions/items.ts'
import { LineDetail } from '../events/line-detail.tsx'
import { LogView } from '../events/log-view.tsx'
import { useRunLog } from '../live/use-log.ts'
import { NotesView } from '../notes/view.tsx'
import { RunOutput } from '../output/run-output.tsx'
import { Heading } from '../parts/heading.tsx'
import { createLazy } from '../parts/lazy.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Ago, Duration } from '../parts/time.tsx'
import { type Inspection, runQuery } from '../queries.ts'
import { addresses, Link, navigate, type RunView, useAddress } from '../router.tsx'
import { Cost } from '../runs/cost.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { runState } from '../runs/state.ts'
import { WaitsFor } from '../runs/waits-for.tsx'
import { Stops } from '../stops/stops.tsx'
import { counted } from '../text.ts'
import { ArchitectureView } from '../tiers/architecture-view.tsx'
import { PlanView } from '../tiers/plan-view.tsx'
import { TasksView } from '../tiers/tasks-view.tsx'
import { teamOf } from '../tiers/team.ts'
import { TierTree } from '../tiers/tree.tsx'
import { VerdictsView } from '../tiers/verdicts-view.tsx'
import { RunControl } from './control.tsx'
import { CostView } from './cost-view.tsx'
import { DecisionsView } from './decisions-view.tsx'
import { EvidenceView } from './evidence-view.tsx'
import { Graph } from './graph.tsx'
import { RunRepository } from './repository.tsx'
import { TimelineView } from './timeline-view.tsx'
import { tabsOf, viewOf } from './views.ts'

export function RunPage({ runId, briefId }: { runId: string; briefId: string | null }) {
  const inspection = useQuery(runQuery(runId))
  const id = inspection.data?.run.id
  useEffect(() => {
    // A prefix of an id also finds the run; the address is changed to the full id, which events contain.
    if (id !== undefined && id !== runId) navigate(addresses.run(id) + location.hash, { replace: true })
  }, [id, runId])
  if (inspection.data) return <Run inspection={inspection.data} briefId={briefId} />
  return (
    <>
      <Heading title="Run" />
      {inspection.isPending && <Skeleton lines={10} label="the run" />}
      {inspection.isError && (
        <Failure error={inspection.error} retry={() => void inspection.refetch()} name={`Run ${runId}`} />
      )}
    </>
  )
}

function Run({ inspection, briefId }: { inspection: Inspection; briefId: string | null }) {
  const { run } = inspection
  const briefs = inspection.briefs.filter((each) => each.kind !== 'verify')
  // A run of one brief shows it at once: there is nothing to select.
  const brief =
    inspection.briefs.find((each) => each.id === briefId) ??
    (briefId === null && briefs.length === 1 ? briefs[0] : undefined)
  const team = useMemo(() => (run.playbook === 'tiered' ? teamOf(inspection) : null), [run.playbook, inspection])
  const { path, hash, query } = useAddress()
  const [view, setView] = useState(() => viewOf(query))
  const asked = query.get('view')
  useEffect(() => {
    // A link without a view, such as one of the tree, keeps the open view.
    if (asked !== null) setView(viewOf(query))
  }, [asked, query])
  // A number after `#` is a line of the log.
  const known = tabsOf(inspection).some((tab) => tab.name === view) ? view : 'log'
  const shown = /^\d+$/.test(hash) ? 'log' : known
  // Changes fill the page, unless the address names a brief.
  const reading = briefId === null && shown === 'changes'
  const detailed = briefId !== null || (brief !== undefined && !fillsThePage.includes(shown))
  const change = (next: RunView): void => {
    setView(next)
    navigate(next === 'log' ? path : `${path}?view=${next}`, { replace: true })
  }
  const current = briefId === null ? run.id : (brief?.id ?? null)
  return (
    <>
      <RunHeader inspection={inspection} />
      <Stops />
      {!run.simulated && run.endedAt === null && <NoBoxBanner />}
      <RunWaiting
        inspection={inspection}
        briefId={briefId}
        slim={reading || (briefId === null && readsTiers.includes(shown))}
      />
      <div className="run-grid" data-reading={reading || undefined} data-tiers={team !== null || undefined}>
        {!reading && team !== null && <TierTree inspection={inspection} team={team} current={current} />}
        {!reading && team === null && <RunTree inspection={inspection} current={current} />}
        <div className="run-side">
          <Tabs tabs={tabsOf(inspection)} current={shown} onChange={change} label="Views of the run">
            {shown === 'log' && <RunLog runId={run.id} path={path} hash={hash} />}
            {team !== null && shown === 'plan' && <PlanView inspection={inspection} team={team} />}
            {team !== null && shown === 'architecture' && <ArchitectureView inspection={inspection} team={team} />}
            {team !== null && shown === 'tasks' && <TasksView inspection={inspection} team={team} />}
            {team !== null && shown === 'verdicts' && <VerdictsView inspection={inspection} team={team} />}
            {shown === 'output' && <RunOutput inspection={inspection} brief={brief} chosen={query.get('attempt')} />}
            {shown === 'changes' && <ChangesView run={run} />}
            {shown === 'graph' && <Graph inspection={inspection} current={brief?.id ?? null} />}
            {shown === 'time' && <TimelineView inspection={inspection} />}
            {shown === 'cost' && <CostView inspection={inspection} />}
            {shown === 'evidence' && <EvidenceView inspection={inspection} />}
            {shown === 'notes' && <NotesView inspection={inspection} />}
            {shown === 'decisions' && <DecisionsView inspection={inspection} />}
          </Tabs>
          {detailed && (
            <div className="detail" tabIndex={0} role="region" aria-label="Selected brief">
              {brief === undefined ? (
                <p>
                  This run has no brief <code>{briefId}</code>. <Link to={addresses.run(run.id)}>Show the run</Link>.
                </p>
              ) : (
                <BriefDetail inspection={inspection} brief={brief} hash={hash} />
              )}
            </div>
          )}
        </div>
      </div>
    </>
  )
}

/** Views that fill the page, unless the address names a brief. */
const readsTiers: readonly RunView[] = ['plan', 'architecture', 'tasks', 'verdicts']
const fillsThePage: readonly RunView[] = ['changes', 'output', ...readsTiers]

/**
 * Shows the pending decisions of the run. If a brief is selected, only its own are open; the others are one link away.
 */
function RunWaiting({ inspection, briefId, slim }: { inspection: Inspection; briefId: string | null; slim: boolean }) {
  const all = pendingDecisions(inspection.gates, inspection.questions)
  const near = briefId === null ? all : all.filter((item) => briefOf(item) === briefId)
  const others = all.length - near.length
  return (
    <section className="run-waiting" data-slim={slim || undefined} aria-label="Pending decisions">
      <DecisionCards items={near} within={inspection.run} />
      {others > 0 && (
        <p className="facts">
          <StateLabel
            state={{
              tone: 'waiting',
              text: `${counted(others, 'other decision')} of this run ${others === 1 ? 'waits' : 'wait'} for you`,
            }}
          />
          <Link to={addresses.run(inspection.run.id)}>Show</Link>
        </p>
      )}
    </section>
  )
}

const ChangesView = createLazy(
  { name: 'The changes' },
  async () => (await import('../pull-requests/changes-view.tsx')).ChangesView,
)

function RunHeader({ inspection }: { inspection: Inspection }) {
  const { run, attempts, state } = inspection
  return (
    <header className="run-header">
      <div className="grow">
        <Heading title={run.goalAnchor} />
        <p className="facts">
          <StateLabel state={runState(state)} />
          {run.simulated && <Simulated />}
          {attempts.length > 0 && <BoxLabel boxed={attempts.every((attempt) => attempt.boxed)} />}
          <span className="figure">
            <Duration from={run.startedAt} to={run.endedAt} />
          </span>
          <Cost run={run} limit={run.configuration.costLimit} />
          <span className="muted">
            started <Ago at={run.startedAt} />
          </span>
          <code className="muted">{run.id}</code>
        </p>
        <WaitsFor standing={inspection} />
        <RunRepository run={run} />
        {run.summary !== null && <p className="summary">{run.summary}</p>}
      </div>
      <RunControl run={run} />
    </header>
  )
}

/** A number after `#` is a line of the log; an id belongs to the brief. */
function RunLog({ runId, path, hash }: { runId: string; path: string; hash: string }) {
  const { log, state } = useRunLog(runId)
  const target = /^\d+$/.test(hash) ? Number(hash) : null
  const point = (seq: number | null): void => navigate(seq === null ? path : `${path}#${seq}`, { replace: true })
  return (
    <div className="log-pane">
      {state.phase === 'loading' && state.lines.length === 0 ? (
        <Skeleton lines={6} label="the log" />
      ) : state.phase === 'failed' ? (
        <Failure error={state.error} retry={() => void log.catchUp()} name="The log" />
      ) : (
        <LogView
          log={log}
          state={state}
          label="Log of the run"
          lineKey="seq"
          target={target}
          onTarget={point}
          emptyText="No events yet."
        />
      )}
      {target !== null && <LineDetail at={{ runId, seq: target }} onClose={() => point(null)} />}
    </div>
  )
}
