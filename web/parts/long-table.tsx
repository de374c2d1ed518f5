import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

import { Columns } from './columns.tsx'

/** Up to here everything is drawn, so that the browser's own search finds it. */
const fewRows = 100

interface LongTableProps<Row> {
  columns: Parameters<typeof Columns>[0]['of']
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The cells of one line. */
  renderCells: (row: Row) => ReactNode
  /** What a line is called in the style sheet. */
  lineOf?: (row: Row) => string | undefined
  label: string
  /** About how high a line is; each is measured once it is there. */
  height?: number
}

/** A table of any length inside something that scrolls (`.scrolls`): only what can be seen is drawn. */
export function LongTable<Row>({ columns, rows, keyOf, renderCells, lineOf, label, height = 30 }: LongTableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [margin, setMargin] = useState(0)
  const isLong = rows.length > fewRows
  useLayoutEffect(() => {
    const scroller = body.current?.closest('.scrolls')
    if (!isLong || body.current === null || !scroller) return
    const own = body.current
    // What stands above the table in the same scroller may still grow.
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
                  className={lineOf?.(row)}
                >
                  {renderCells(row)}
                </tr>
              )
            })
          : rows.map((row) => (
              <tr key={keyOf(row)} className={lineOf?.(row)}>
                {renderCells(row)}
              </tr>
            ))}
        {isLong && below > 0 && <Space height={below} />}
      </tbody>
    </table>
  )
}

const Space = ({ height }: { height: number }) => <tr aria-hidden="true" className="space" style={{ height }} />
