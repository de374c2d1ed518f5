import { useEffect, useMemo, useState } from 'react'

import type { ChartSeat } from '../../src/org/chart/contract.ts'
import { toggleKey } from '../parts/tree-keys.ts'
import { TreeToggle } from '../parts/tree-toggle.tsx'
import { useTree } from '../parts/use-tree.ts'
import { addresses, Link, navigate } from '../router.tsx'
import { counted } from '../text.ts'
import { HolderIcon } from './chart.tsx'
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

/** Shows the chart as a tree of text. Like every tree it is one tab stop. */
export function SeatTree({ slug, name, seats, found, pointed }: SeatTreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => rowsOf(seats, closed), [seats, closed])
  const titles = useMemo(() => titlesOf(seats), [seats])
  const toggle = (positionId: number): void => setClosed((before) => toggleKey(before, positionId))
  const { tree, visible, virtual, activate } = useTree<Row, number>({
    items: rows,
    keyOf: (row) => row.seat.positionId,
    heightOf: () => rowHeight,
    overscan: 12,
    current: null,
    onToggle: toggle,
    onChoose: (row) => navigate(addresses.seat(slug, row.seat.positionId)),
  })
  useEffect(() => {
    if (pointed === null) return
    activate(pointed.positionId)
    const index = rows.findIndex((row) => row.seat.positionId === pointed.positionId)
    if (index >= 0) virtual.scrollToIndex(index, { align: 'center' })
    // Only when another seat is requested.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pointed])

  return (
    <div {...tree} className="tree seat-tree" aria-label={`Seats of ${name}, ${counted(seats.length, 'seat')}`}>
      <div className="tree-all" role="none" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ item: row, key, isActive, attributes }) => {
          const { seat } = row
          return (
            <Link
              key={key}
              {...attributes}
              to={addresses.seat(slug, seat.positionId)}
              className="seat-row"
              aria-selected={isActive}
              data-found={found?.has(seat.positionId) || undefined}
              data-vacant={seat.holder === null || undefined}
              style={{ transform: attributes.style.transform, paddingLeft: indentOf(row) }}
              onClick={() => activate(seat.positionId)}
            >
              <TreeToggle className="fold" expanded={row.expanded} onToggle={() => toggle(seat.positionId)} />
              <span className="seat-row-text">
                <span className="seat-row-title">
                  <b className="cut">{seat.title}</b>
                  {seat.isLead && <span className="label">lead</span>}
                  {seat.isCrossCutting && <span className="label">cross-cutting</span>}
                </span>
                <span className="seat-row-facts cut">
                  <HolderIcon vacant={seat.holder === null} /> {seat.holder?.name ?? 'vacant'}
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

/** Limits the indentation, so that deep rows keep their text inside a narrow window. */
const indentOf = ({ level }: Row): number => 8 + Math.min(level - 1, 12) * 20
