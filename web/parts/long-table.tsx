import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

import { Columns } from './columns.tsx'

/** Up to this many rows all are drawn, so that the browser's search finds them. */
const fewRows = 100

interface LongTableProps<Row> {
  columns: Parameters<typeof Columns>[0]['of']
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Renders the cells of one row. */
  renderCells: (row: Row) => ReactNode
  /** Returns the class of a row. */
  classOf?: (row: Row) => string | undefined
  label: string
  /** Estimated height of a row; each is measured once it is drawn. */
  height?: number
}

/** A table of any length inside a scrolling element (`.scrolls`): only the visible rows are drawn. */
export function LongTable<Row>({
  columns,
  rows,
  keyOf,
  renderCells,
  classOf,
  label,
  height = 30,
}: LongTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [margin, setMargin] = useState(0)
  const isLong = rows.length > fewRows
  useLayoutEffect(() => {
    const scroller = body.current?.closest('.scrolls')
    if (!isLong || body.current === null || !scroller) return
    const own = body.current
    // Content above the table in the same scrolling element may still grow.
    const measure = (): void => {
      const top = own.getBoundingClientRect().top - scroller.getBoundingClientRect().top
      setMargin(Math.round(top + scroller.scrollTop))
    }
    const sizes = new ResizeObserver(measure)
    for (const part of scroller.children) sizes.observe(part)
    measure()
    return () => sizes.disconnect()
  }, [isLong])
  const virtual = useVirtualizer({
    count: isLong ? rows.length : 0,
    getScrollElement: () => body.current?.closest('.scrolls') ?? null,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: margin,
    getItemKey: (index) => keyOf(rows[index] as Row),
  })
  const items = virtual.getVirtualItems()
  const above = (items[0]?.start ?? margin) - margin
  const below = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)
  return (
    <table className="proofs long" aria-label={label} aria-rowcount={isLong ? rows.length + 1 : undefined}>
      <Columns of={columns} />
      <tbody ref={body}>
        {isLong && above > 0 && <Space height={above} />}
        {isLong
          ? items.map(({ index, key }) => {
              const row = rows[index] as Row
              return (
                <tr
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  className={classOf?.(row)}
                >
                  {renderCells(row)}
                </tr>
              )
            })
          : rows.map((row) => (
              <tr key={keyOf(row)} className={classOf?.(row)}>
                {renderCells(row)}
              </tr>
            ))}
        {isLong && below > 0 && <Space height={below} />}
      </tbody>
    </table>
  )
}

const Space = ({ height }: { height: number }) => <tr aria-hidden="true" className="space" style={{ height }} />
