import { useMemo } from 'react'

import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import { briefState } from '../briefs/state.ts'
import { Sign } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, navigate } from '../router.tsx'
import { counted, figure } from '../text.ts'
import { boxHeight, boxWidth, drawGraph, maxNodes } from './layout.ts'

/** Shows the dependencies of briefs as a graph. Each box links to its brief. */
export function Graph({ inspection, current }: { inspection: Inspection; current: string | null }) {
  const { briefs, dependencies } = inspection
  const drawn = useMemo(() => briefs.filter((brief) => brief.kind !== 'verify'), [briefs])
  const shape = drawn.map((brief) => brief.id).join(' ')
  const drawing = useMemo(
    () =>
      drawn.length > maxNodes
        ? null
        : drawGraph(
            drawn.map(({ id }) => ({ id })),
            dependencies,
          ),
    // The positions depend on the set of briefs, not on their states.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [shape, dependencies.length],
  )
  if (drawn.length === 0) return <p className="none muted">No briefs yet: the plan is being written.</p>
  if (drawing === null)
    return (
      <div className="none">
        <p>
          {figure(drawn.length)} briefs are too many for a graph, which shows up to {maxNodes}. The tree shows all of
          them.
        </p>
        <Counts briefs={drawn} />
      </div>
    )
  const byId = new Map(drawn.map((brief) => [brief.id, brief]))
  const met = new Set(dependencies.filter((each) => each.met).map((each) => `${each.afterId} ${each.briefId}`))
  const pad = 8
  const width = drawing.width + 2 * pad
  return (
    <div className="graph" tabIndex={0} role="region" aria-label="Dependencies of briefs">
      <svg
        style={{ width, minWidth: width * 0.6 }}
        viewBox={`${-pad} ${-pad} ${width} ${drawing.height + 2 * pad}`}
        role="group"
        aria-label={`${counted(drawn.length, 'brief')}, from left to right in the order of their dependencies`}
      >
        {drawing.edges.map((edge) => {
          const isMet = met.has(`${edge.from} ${edge.to}`)
          const near = current !== null && (edge.from === current || edge.to === current)
          return (
            <path
              key={`${edge.from} ${edge.to}`}
              className={`edge ${isMet ? 'met' : ''} ${near ? 'near' : ''}`}
              d={edge.path}
            />
          )
        })}
        {drawing.nodes.map(({ item, x, y }) => {
          const brief = byId.get(item.id)
          return brief === undefined ? null : (
            <Box key={brief.id} brief={brief} x={x} y={y} current={brief.id === current} />
          )
        })}
      </svg>
    </div>
  )
}

function Box({ brief, x, y, current }: { brief: HeldBrief; x: number; y: number; current: boolean }) {
  const state = briefState(brief)
  const to = addresses.brief(brief.runId, brief.id)
  return (
    <a
      href={to}
      className={`box tone-${state.tone}`}
      aria-current={current || undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        navigate(to)
      }}
    >
      <rect x={x} y={y} width={boxWidth} height={boxHeight} rx={4} />
      <foreignObject x={x} y={y} width={boxWidth} height={boxHeight}>
        <div className="box-text" title={`${brief.title}\n${state.text}`}>
          <Sign tone={state.tone} />
          <span className="grow">
            <span className="cut box-title">{brief.title}</span> <span className="cut box-says">{state.text}</span>
          </span>
        </div>
      </foreignObject>
    </a>
  )
}

function Counts({ briefs }: { briefs: readonly HeldBrief[] }) {
  const states = Map.groupBy(briefs, (brief) => brief.status)
  return (
    <p className="facts">
      {[...states].map(([status, of]) => (
        <span key={status}>
          {figure(of.length)} {status.replaceAll('_', ' ')}
        </span>
      ))}
    </p>
  )
}
