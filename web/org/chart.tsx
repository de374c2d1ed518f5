import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { addresses, Link } from '../router.tsx'
import { counted } from '../text.ts'
import { layoutChart, type Placed } from './layout.ts'
import { describeSeat, type Titles, titlesOf } from './seat-labels.ts'
import { type Direction, seatTowards } from './seat-navigation.ts'
import { useViewport } from './use-viewport.ts'

interface ChartProps {
  slug: string
  name: string
  seats: readonly ChartSeat[]
  /** The seats that match the search; null: no search. */
  found: ReadonlySet<number> | null
  /** The seat to centre; each new object centres it once. */
  pointed: { positionId: number } | null
  escalation: boolean
}

/**
 * Draws the chart. It is one tab stop; the arrow keys move between the seats, each of which is a link.
 * `SeatTree` has the same content as text.
 */
export function Chart({ slug, name, seats, found, pointed, escalation }: ChartProps) {
  const layout = useMemo(() => layoutChart(seats), [seats])
  const titles = useMemo(() => titlesOf(seats), [seats])
  const view = useViewport(layout, slug)
  const [active, setActive] = useState(lastActive.get(slug) ?? null)
  const shown = layout.seats.find((each) => each.seat.positionId === active) ?? layout.seats[0]
  const elements = useRef(new Map<number, HTMLAnchorElement>())
  const keep = useCallback((positionId: number, element: HTMLAnchorElement | null) => {
    if (element === null) elements.current.delete(positionId)
    else elements.current.set(positionId, element)
  }, [])

  const activate = useCallback(
    (positionId: number): void => {
      lastActive.set(slug, positionId)
      setActive(positionId)
    },
    [slug],
  )
  const goTo = (placed: Placed | null | undefined): void => {
    if (placed === null || placed === undefined) return
    activate(placed.seat.positionId)
    view.show(placed)
    elements.current.get(placed.seat.positionId)?.focus({ preventScroll: true })
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || shown === undefined) return
    const way = arrows[event.key]
    if (way !== undefined && event.shiftKey) view.pan(...steps[way])
    else if (way !== undefined) goTo(seatTowards(layout.seats, shown, way))
    else if (event.key === 'Home') goTo(layout.seats[0])
    else if (event.key === 'End') goTo(layout.seats.at(-1))
    else if (event.key === 'PageDown') goTo(layout.seats[layout.seats.indexOf(shown) + 1])
    else if (event.key === 'PageUp') goTo(layout.seats[layout.seats.indexOf(shown) - 1])
    else if (event.key === '+' || event.key === '=') view.zoom(1.25)
    else if (event.key === '-') view.zoom(0.8)
    else if (event.key === '0') view.fit()
    else return
    event.preventDefault()
  }
  useEffect(() => {
    const placed = layout.seats.find((each) => each.seat.positionId === pointed?.positionId)
    if (placed === undefined) return
    activate(placed.seat.positionId)
    view.centre(placed)
    // Only when another seat is requested: a change of the chart must not move the view back.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pointed])

  const { operator } = layout
  return (
    <div className="chart" onKeyDown={onKey}>
      <div
        ref={view.window}
        className="chart-window"
        role="group"
        aria-label={`Chart of ${name}, ${counted(seats.length, 'seat')}. Arrow keys move between seats, Enter opens one.`}
        {...view.pointer}
        onClickCapture={(event) => {
          // The Enter key clicks too (detail 0), but never after a drag.
          if (event.detail > 0 && view.hasDragged()) event.preventDefault()
        }}
      >
        <div ref={view.world} className="chart-world" style={{ width: layout.width, height: layout.height }}>
          <svg className="chart-lines" width={layout.width} height={layout.height} aria-hidden="true" focusable="false">
            <path className="reporting" d={layout.reporting} />
            {escalation && (
              <>
                <path className="escalation" d={layout.escalation} />
                <path className="arrows" d={layout.arrows} />
              </>
            )}
          </svg>
          <span
            className="chart-operator"
            style={{ left: operator.x, top: operator.y, width: operator.width, height: operator.height }}
          >
            <span>Operator</span>
          </span>
          {layout.seats.map((placed) => (
            <Seat
              key={placed.seat.positionId}
              placed={placed}
              slug={slug}
              titles={titles}
              isActive={placed === shown}
              isFound={found?.has(placed.seat.positionId) ?? false}
              keep={keep}
              onFocus={activate}
            />
          ))}
        </div>
      </div>
      <Legend escalation={escalation && layout.escalation !== ''} />
      <div className="chart-zoom" role="group" aria-label="Zoom">
        <button type="button" onClick={() => view.zoom(0.8)} title="Zoom out (−, Ctrl and wheel)" aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => view.zoom(1.25)} title="Zoom in (+, Ctrl and wheel)" aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={view.fit} title="Fit the chart into the window (0)">
          Fit
        </button>
      </div>
    </div>
  )
}

interface SeatProps {
  placed: Placed
  slug: string
  titles: Titles
  isActive: boolean
  isFound: boolean
  keep: (positionId: number, element: HTMLAnchorElement | null) => void
  onFocus: (positionId: number) => void
}

const Seat = memo(function Seat({ placed, slug, titles, isActive, isFound, keep, onFocus }: SeatProps) {
  const { seat, x, y, width, height } = placed
  return (
    <Link
      ref={(element) => keep(seat.positionId, element)}
      to={addresses.seat(slug, seat.positionId)}
      className="seat"
      draggable={false}
      tabIndex={isActive ? 0 : -1}
      aria-label={describeSeat(seat, titles)}
      data-position={seat.positionId}
      data-vacant={seat.holder === null || undefined}
      data-lead={seat.isLead || undefined}
      data-cross={seat.isCrossCutting || undefined}
      data-found={isFound || undefined}
      style={{ left: x, top: y, width, height }}
      onFocus={() => onFocus(seat.positionId)}
    >
      <span className="seat-title cut">{seat.title}</span>{' '}
      <span className="seat-holder">
        <HolderIcon vacant={seat.holder === null} />
        <span className="cut">{seat.holder?.name ?? 'vacant'}</span>
      </span>{' '}
      <span className="seat-facts">
        <span className="cut">
          L{seat.level} {seat.role}
        </span>{' '}
        {seat.isLead && <b>lead</b>} {seat.isCrossCutting && <b>cross-cutting</b>}
      </span>
    </Link>
  )
}, isSameSeat)

/**
 * Compares the drawn content, not the objects: a live update brings new objects for all seats, most of them unchanged.
 */
function isSameSeat(before: SeatProps, now: SeatProps): boolean {
  return (
    before.isActive === now.isActive &&
    before.isFound === now.isFound &&
    before.slug === now.slug &&
    before.onFocus === now.onFocus &&
    JSON.stringify(before.placed) === JSON.stringify(now.placed) &&
    describeSeat(before.placed.seat, before.titles) === describeSeat(now.placed.seat, now.titles)
  )
}

/** Head and shoulders for a held seat, an empty ring for a vacant one. */
export const HolderIcon = ({ vacant }: { vacant: boolean }) => (
  <svg className="holding" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
    {vacant ? (
      <circle cx="6" cy="6" r="4.4" className="ring" />
    ) : (
      <path d="M6 5.6a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.6 11.4c0-2.7 1.9-4.3 4.4-4.3s4.4 1.6 4.4 4.3z" />
    )}
  </svg>
)

function Legend({ escalation }: { escalation: boolean }) {
  return (
    <ul className="plain chart-legend" aria-label="Legend">
      <li>
        <svg width="28" height="10" aria-hidden="true" focusable="false">
          <path className="reporting" d="M1 5H27" />
        </svg>
        reports to
      </li>
      {escalation && (
        <li>
          <svg width="28" height="10" aria-hidden="true" focusable="false">
            <path className="escalation" d="M1 5H22" />
            <path className="arrows" d="M27 5l-7 -3.5v7z" />
          </svg>
          escalates to, if different
        </li>
      )}
      <li>
        <HolderIcon vacant={false} /> held
      </li>
      <li>
        <HolderIcon vacant /> vacant
      </li>
    </ul>
  )
}

/** The last active seat of each chart, for the return from the page of a seat. */
const lastActive = new Map<string, number>()

const arrows: Record<string, Direction> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}

const steps: Record<Direction, [dx: number, dy: number]> = {
  up: [0, 80],
  down: [0, -80],
  left: [80, 0],
  right: [-80, 0],
}
