import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { onTreeKey, toggledSet } from '../parts/tree-keys.ts'
import { addresses, Link, navigate } from '../router.tsx'
import { counted } from '../text.ts'
import { Holding } from './chart.tsx'
import { escalatesElsewhere } from './layout.ts'
import { titleOf, titlesOf } from './seat-labels.ts'
import { type Row, rowsOf } from './tree.ts'

interface SeatTreeProps {
  slug: string
  name: string
  seats: readonly ChartSeat[]
  found: ReadonlySet<number> | null
  pointed: { positionId: number } | null
}

const rowHeight = 44

/** The chart to read: who reports to whom as a tree, everything said in words. One stop for Tab, as in any tree. */
export function SeatTree({ slug, name, seats, found, pointed }: SeatTreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => rowsOf(seats, closed), [seats, closed])
  const titles = useMemo(() => titlesOf(seats), [seats])
  const [activeId, setActiveId] = useState<number | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const active = Math.max(
    0,
    rows.findIndex((row) => row.seat.positionId === activeId),
  )
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => rows[index]?.seat.positionId ?? index,
  })
  useEffect(() => {
    if (pointed === null) return
    setActiveId(pointed.positionId)
    const index = rows.findIndex((row) => row.seat.positionId === pointed.positionId)
    if (index >= 0) virtual.scrollToIndex(index, { align: 'center' })
    // Only when another one is asked for.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pointed])

  const toggle = (positionId: number): void => setClosed((before) => toggledSet(before, positionId))
  const idAt = (index: number): number => (rows[index] as Row).seat.positionId
  const onKey = (event: KeyboardEvent): void =>
    onTreeKey(event, rows, active, {
      moveTo: (index) => {
        setActiveId(idAt(index))
        virtual.scrollToIndex(index)
      },
      toggle: (index) => toggle(idAt(index)),
      choose: (index) => navigate(addresses.seat(slug, idAt(index))),
    })

  return (
    <div
      ref={scroller}
      className="tree seat-tree"
      role="tree"
      aria-label={`Seats of ${name}, ${counted(seats.length, 'seat')}`}
      tabIndex={0}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKey}
    >
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          const { seat } = row
          return (
            <Link
              key={item.key}
              id={`${id}-${item.index}`}
              to={addresses.seat(slug, seat.positionId)}
              role="treeitem"
              tabIndex={-1}
              className="seat-row"
              aria-level={row.level}
              aria-posinset={row.position}
              aria-setsize={row.siblings}
              aria-expanded={row.expanded ?? undefined}
              aria-selected={item.index === active}
              data-active={item.index === active || undefined}
              data-found={found?.has(seat.positionId) || undefined}
              data-vacant={seat.holder === null || undefined}
              style={{ transform: `translateY(${item.start}px)`, paddingLeft: indentOf(row) }}
              onClick={() => setActiveId(seat.positionId)}
            >
              <Fold row={row} onToggle={() => toggle(seat.positionId)} />
              <span className="seat-row-text">
                <span className="seat-row-title">
                  <b className="cut">{seat.title}</b>
                  {seat.isLead && <span className="label">lead</span>}
                  {seat.isCrossCutting && <span className="label">cross-cutting</span>}
                </span>
                <span className="seat-row-facts cut">
                  <Holding vacant={seat.holder === null} /> {seat.holder?.name ?? 'vacant'}
                  <span className="muted">
                    {' · '}L{seat.level} {seat.role}
                    {escalatesElsewhere(seat) && ` · escalates to ${titleOf(titles, seat.escalatesToId)}`}
                  </span>
                </span>
              </span>
            </Link>
          )
        })}
      </div>
    </div>
  )
}

/** Deep lines must not push the words out of a narrow window. */
const indentOf = ({ level }: Row): number => 8 + Math.min(level - 1, 12) * 20

/** For the pointer; the arrow keys do the same, so it is no stop of its own. */
function Fold({ row, onToggle }: { row: Row; onToggle: () => void }) {
  if (row.expanded === null) return <span className="fold" />
  return (
    <span
      className="fold"
      aria-hidden="true"
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onToggle()
      }}
    >
      <svg viewBox="0 0 12 12" width="12" height="12" focusable="false">
        <path d={row.expanded ? 'M2.5 4.5 6 8l3.5-3.5' : 'M4.5 2.5 8 6l-3.5 3.5'} />
      </svg>
    </span>
  )
}
