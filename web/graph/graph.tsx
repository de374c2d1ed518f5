import { type KeyboardEvent, useMemo, useState } from 'react'

import { Sign } from '../parts/state.tsx'
import { toggleKey } from '../parts/tree-keys.ts'
import { navigate } from '../router.tsx'
import { counted } from '../text.ts'
import { type GraphBox, type GraphModel, maxBoxes } from './model.ts'
import { boxHeight, boxWidth, drawGraph } from './layout.ts'

interface GraphProps {
  /** Builds the boxes and edges, given the groups that are opened. */
  model: (opened: ReadonlySet<string>) => GraphModel
  current: string | null
}

/** Shows the dependencies of briefs as a graph. A box links to its brief; one of a group opens into its briefs. */
export function Graph({ model, current }: GraphProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const { boxes, edges, lanes } = useMemo(() => model(opened), [model, opened])
  const shape = boxes.map((box) => box.id).join(' ') + edges.length
  const drawing = useMemo(
    () => drawGraph(boxes, edges, lanes),
    // The positions depend on the set of boxes, not on their states.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [shape],
  )
  if (boxes.length === 0) return <p className="none muted">No briefs yet: the plan is being written.</p>
  const byId = new Map(boxes.map((box) => [box.id, box]))
  const pad = 8
  const left = drawing.lanes.length > 0 ? 32 : pad
  const width = drawing.width + left + pad
  const groups = boxes.filter((box) => box.to === null).length
  const open = (key: string): void => {
    const next = toggleKey(opened, key)
    // A group whose briefs do not fit beside the other boxes stays closed.
    if (model(next).boxes.length <= maxBoxes) setOpened(next)
  }
  return (
    <>
      {(groups > 0 || opened.size > 0) && (
        <p className="facts view-bar muted">
          {counted(groups, 'box', 'boxes')} with several briefs: choose one to open it.
          {opened.size > 0 && (
            <button type="button" onClick={() => setOpened(new Set())}>
              Close the opened
            </button>
          )}
        </p>
      )}
      <div className="graph" tabIndex={0} role="region" aria-label="Dependencies of briefs">
        <svg
          style={{ width, minWidth: width * 0.6 }}
          viewBox={`${-left} ${-pad} ${width} ${drawing.height + 2 * pad}`}
          role="group"
          aria-label={`${counted(boxes.length, 'box', 'boxes')}, from left to right in the order of their dependencies`}
        >
          {drawing.lanes.map((lane) => (
            <g key={lane.name} className="lane-band">
              <rect x={-left} y={lane.y} width={width} height={lane.height} />
              <text x={-left + 6} y={lane.y + lane.height / 2 + 4}>
                {lane.name}
              </text>
            </g>
          ))}
          {drawing.edges.map((edge) => {
            const isMet = byId.get(edge.from)?.state.tone === 'good'
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
            const box = byId.get(item.id)
            return box === undefined ? null : (
              <Box key={box.id} box={box} x={x} y={y} current={box.id === current} onOpen={open} />
            )
          })}
        </svg>
      </div>
    </>
  )
}

interface BoxProps {
  box: GraphBox
  x: number
  y: number
  current: boolean
  onOpen: (key: string) => void
}

function Box({ box, x, y, current, onOpen }: BoxProps) {
  const { to, state } = box
  const inside = <Inside box={box} x={x} y={y} />
  if (to === null)
    return (
      <g
        className={`box group tone-${state.tone}`}
        role="button"
        tabIndex={0}
        onClick={() => onOpen(box.id)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          onOpen(box.id)
        }}
      >
        {inside}
      </g>
    )
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
      {inside}
    </a>
  )
}

function Inside({ box: { title, state, to }, x, y }: { box: GraphBox; x: number; y: number }) {
  return (
    <>
      {/* A second border behind a group shows that it holds several. */}
      {to === null && <rect x={x + 4} y={y + 4} width={boxWidth} height={boxHeight} rx={4} />}
      <rect x={x} y={y} width={boxWidth} height={boxHeight} rx={4} />
      <foreignObject x={x} y={y} width={boxWidth} height={boxHeight}>
        <div className="box-text" title={`${title}\n${state.text}`}>
          <Sign tone={state.tone} />
          <span className="grow">
            <span className="cut box-title">{title}</span> <span className="cut box-says">{state.text}</span>
          </span>
        </div>
      </foreignObject>
    </>
  )
}
