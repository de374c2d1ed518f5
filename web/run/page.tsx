import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Run, RunStanding } from '../../src/work/runs/contract.ts'
import { NoBoxBanner } from '../box/banner.tsx'
import { BriefDetail } from '../briefs/detail.tsx'
import { RunTree } from '../briefs/tree.tsx'
import { DemoGuide } from '../demos/guide.tsx'
import { Heading } from '../parts/heading.tsx'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { Separator, usePaneSize } from '../parts/separator.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Inspection, pendingDecisionsQuery, runLineQuery, runQuery } from '../queries.ts'
import { addresses, Link, navigate, type RunView, useAddress } from '../router.tsx'
import { resultQuery } from '../result/queries.ts'
import { type Team, teamOf } from '../tiers/team.ts'
import { TierTree } from '../tiers/tree.tsx'
import { RunHeader } from './header.tsx'
import { View } from './view.tsx'
import { askedView, placeOf, type RunTab, tabsOf, viewOf, withoutBrief } from './views.ts'
import { RunWaiting } from './waiting.tsx'

export function RunPage({ runId, briefId }: { runId: string; briefId: string | null }) {
  const line = useQuery(runLineQuery(runId))
  const waiting = useQuery(pendingDecisionsQuery)
  const { query } = useAddress()
  const opensResult =
    line.data !== undefined && line.data.endedAt !== null && viewOf({ briefId, query, hash: '' }, null) === 'overview'
  const result = useInfiniteQuery({ ...resultQuery(line.data?.id ?? runId), enabled: opensResult })
  // The inspection grows with the number of briefs: the page shows its first view before it asks for it.
  const inspection = useQuery({ ...runQuery(runId), enabled: line.isFetched && (!opensResult || result.isFetched) })
  const shown = inspection.data ?? (line.data && waiting.data && beginningOf(line.data, waiting.data))
  const id = shown?.run.id
  useEffect(() => {
    // A prefix of an id also finds the run; the address is changed to the full id, which events contain.
    if (id !== undefined && id !== runId)
      navigate(addresses.run(id) + location.search + location.hash, { replace: true })
  }, [id, runId])
  if (shown !== undefined && !inspection.isError)
    return <RunBody inspection={shown} isWhole={inspection.data !== undefined} briefId={briefId} />
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

type Waiting = Awaited<ReturnType<NonNullable<(typeof pendingDecisionsQuery)['queryFn']>>>

/** Returns the part of an inspection that does not grow with the number of briefs, so that the page begins at once. */
const beginningOf = (
  { state, decisions, progress, waitsFor, ...run }: Run & RunStanding,
  { gates, questions }: Waiting,
): Inspection => ({
  run,
  status: run.status,
  state,
  decisions,
  progress,
  waitsFor,
  briefs: [],
  dependencies: [],
  attempts: [],
  evidence: [],
  artifacts: [],
  documents: {},
  parts: [],
  amendments: [],
  gates: gates.filter((gate) => gate.runId === run.id),
  questions: questions.filter((question) => question.runId === run.id),
  verdicts: [],
  proofs: [],
  notes: [],
  personas: [],
  spends: [],
  continuedBy: [],
  events: [],
})

interface RunProps {
  inspection: Inspection
  /** Whether all parts are known; otherwise only the run itself and its pending decisions are. */
  isWhole: boolean
  briefId: string | null
}

function RunBody({ inspection, isWhole, briefId }: RunProps) {
  const { run } = inspection
  const team = useMemo(() => (run.playbook === 'tiered' ? teamOf(inspection) : null), [run.playbook, inspection])
  const tabs = tabsOf(inspection)
  const asked = useRunView(run.id, briefId)
  const known = tabs.some(({ views }) => views.some((each) => each.name === asked))
  // The run may lack the view, such as changes without a repository.
  const view = known ? asked : briefId === null ? 'overview' : 'tree'
  const tab = tabs.find(({ views }) => views.some((each) => each.name === view))
  const opened = useLastViews(tab?.name, view)
  const show = (next: RunView): void => navigate(placeOf(run.id, briefId, next))
  return (
    <>
      <RunHeader inspection={inspection} />
      <DemoGuide inspection={inspection} />
      {!run.simulated && run.endedAt === null && <NoBoxBanner />}
      <RunWaiting inspection={inspection} briefId={briefId} slim={briefId === null && view !== 'overview'} />
      <Tabs
        kind="page"
        tabs={tabs}
        current={tab?.name ?? 'overview'}
        onChange={(name) => show(opened(name) ?? tabs.find((each) => each.name === name)?.views[0]?.name ?? 'overview')}
        label="Views of the run"
      >
        <Panes inspection={inspection} isWhole={isWhole} team={team} view={view} briefId={briefId}>
          {(content) =>
            tab === undefined || tab.views.length === 1 ? (
              <div className="view-pane">
                <div className="view">{content}</div>
              </div>
            ) : (
              <Tabs tabs={tab.views} current={view} onChange={show} label={`Views of ${tab.label}`}>
                {content}
              </Tabs>
            )
          }
        </Panes>
      </Tabs>
    </>
  )
}

/** Puts the tree beside the view, and the chosen brief below it. */
function Panes({
  inspection,
  isWhole,
  team,
  view,
  briefId,
  children,
}: RunProps & {
  team: Team | null
  view: RunView
  children: (content: ReactNode) => ReactNode
}) {
  const { run, briefs } = inspection
  const grid = useRef<HTMLDivElement>(null)
  const side = useRef<HTMLDivElement>(null)
  const [width, setWidth] = usePaneSize(treePane)
  const [share, setShare] = usePaneSize(viewPane)
  const work = briefs.filter((each) => each.kind !== 'verify')
  const found = briefs.find((each) => each.id === briefId)
  // A run of one brief shows it at once: there is nothing to select.
  const brief = found ?? (briefId === null && work.length === 1 ? work[0] : undefined)
  const current = briefId === null ? run.id : (brief?.id ?? null)
  const detail = brief ?? (briefId === null ? null : 'unknown')
  const isSplit = isWhole && briefId !== null && !fillsThePage.includes(view)
  const content =
    isWhole || beginsAtOnce.includes(view) ? (
      <View
        inspection={inspection}
        isWhole={isWhole}
        team={team}
        view={view}
        brief={brief}
        briefId={briefId}
        chosen={
          view === 'tree' && detail !== null ? <Detail inspection={inspection} brief={detail} id={briefId} /> : null
        }
      />
    ) : (
      <Skeleton lines={8} label="the briefs of the run" />
    )
  if (view === 'changes') return <div className="run-grid whole">{children(content)}</div>
  return (
    <div
      ref={grid}
      className="run-grid"
      data-view={view}
      style={
        { '--tree-width': `${width}px`, '--view-share': `${share}fr`, '--rest': `${100 - share}fr` } as CSSProperties
      }
    >
      {!isWhole ? (
        <div className="tree-pane">
          <Skeleton lines={8} label="the briefs" />
        </div>
      ) : team === null ? (
        <RunTree inspection={inspection} current={current} />
      ) : (
        <TierTree inspection={inspection} team={team} current={current} />
      )}
      <Separator
        orientation="vertical"
        label="Width of the tree"
        within={grid}
        size={width}
        onSize={setWidth}
        {...treePane}
      />
      <div ref={side} className="run-side" data-split={isSplit || undefined}>
        {children(content)}
        {isSplit && (
          <>
            <Separator
              orientation="horizontal"
              label="Height of the view"
              within={side}
              size={share}
              onSize={setShare}
              {...viewPane}
            />
            <Detail inspection={inspection} brief={brief ?? 'unknown'} id={briefId} />
          </>
        )}
      </div>
    </div>
  )
}

const treePane = { name: 'tree', initial: 280, least: 160, most: 640 }
const viewPane = { name: 'view', initial: 45, least: 15, most: 85 }

/** Views that need no briefs. */
const beginsAtOnce: readonly RunView[] = ['overview', 'log', 'changes']

/** Views that show the chosen brief themselves. */
const fillsThePage: readonly RunView[] = [...withoutBrief, 'tree', 'output']

function Detail({
  inspection,
  brief,
  id,
}: {
  inspection: Inspection
  brief: HeldBrief | 'unknown'
  id: string | null
}) {
  const { hash } = useAddress()
  return (
    <div className="detail" tabIndex={0} role="region" aria-label="Selected brief">
      {brief === 'unknown' ? (
        <p>
          This run has no brief <code>{id}</code>. <Link to={addresses.run(inspection.run.id)}>Show the run</Link>.
        </p>
      ) : (
        <BriefDetail inspection={inspection} brief={brief} hash={hash} />
      )}
    </div>
  )
}

/**
 * Returns the view of the address. An address of a brief that names none gets the view that is shown for it, so that
 * reload and Back show the same.
 */
function useRunView(runId: string, briefId: string | null): RunView {
  const { query, hash } = useAddress()
  const [open, setOpen] = useState<RunView | null>(null)
  const view = viewOf({ briefId, query, hash }, open)
  const asked = askedView(query)
  useLayoutEffect(() => {
    setOpen(view)
    if (briefId === null || asked !== null) return
    const rest = new URLSearchParams(query)
    rest.set('view', view)
    navigate(`${addresses.brief(runId, briefId)}?${rest}${location.hash}`, { replace: true })
  }, [view, asked, briefId, runId, query])
  return view
}

/** Remembers the last view of each tab, as long as the page is open. */
function useLastViews(tab: RunTab | undefined, view: RunView): (name: RunTab) => RunView | undefined {
  const [last, setLast] = useState<ReadonlyMap<RunTab, RunView>>(new Map())
  useEffect(() => {
    if (tab !== undefined) setLast((before) => (before.get(tab) === view ? before : new Map(before).set(tab, view)))
  }, [tab, view])
  return (name) => last.get(name)
}
