import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'

import { lineTone } from '../../src/kernel/event-tone.ts'
import { countAfter, filterLines, indexAt, lineAt, type LineKey } from '../live/lines.ts'
import { type Line, type Log, type LogState, maxLines } from '../live/log.ts'
import { explain } from '../parts/notices.tsx'
import { Sign } from '../parts/state.tsx'
import { clockTime, counted, exactTime, figure, humanise, withoutSign } from '../text.ts'

interface LogViewProps {
  log: Log
  state: LogState
  label: string
  /** The number that identifies a line: its `seq` within a run, or its `position` in the feed of all events. */
  lineKey: LineKey
  /** The line that the address names. */
  target: number | null
  onTarget: (number: number | null) => void
  /** Returns the source of a line; left out where the page shows it already. */
  origin?: (line: Line) => string | null
  kinds?: readonly string[]
  emptyText: string
  /** The log is filtered by its query: typed text and the level are handed to it. */
  onFilter?: (filter: { all: boolean; text: string }) => void
  /** The log is complete: lines below the visible ones are not new. */
  ended?: boolean
}

const rowHeight = 22

/**
 * A log of any length. It follows its end until the reader scrolls up, and does not move under the pointer: while the
 * pointer is on the lines, new ones are counted instead of shown.
 */
export function LogView({
  log,
  state,
  label,
  lineKey,
  target,
  onTarget,
  origin,
  kinds,
  emptyText,
  onFilter,
  ended,
}: LogViewProps) {
  const [verbose, setVerbose] = useState(false)
  const [text, setText] = useState('')
  useEffect(() => onFilter?.({ all: verbose, text }), [onFilter, verbose, text])
  const [paused, setPaused] = useState<number | null>(null)
  const [following, setFollowing] = useState(target === null)
  const [pointed, setPointed] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)

  const targeted = target === null ? undefined : lineAt(state.lines, lineKey, target)
  const all = verbose || targeted?.level === 'verbose'
  const shown = useMemo(
    () => filterLines(state.lines, { all, text, kinds, upTo: paused, lineKey }),
    [state.lines, all, text, kinds, paused, lineKey],
  )
  const hidden = useHidden(state.lines, all)

  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => shown[index]?.[lineKey] ?? index,
  })

  const held = pointed && paused === null
  const [below, setBelow] = useState(0)
  const height = useHeight(scroller)
  useScrollAnchor(scroller.current, shown, lineKey)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    if (following && !held) element.scrollTop = element.scrollHeight
    setBelow(linesBelow(element))
  }, [shown, following, held, height])

  const targetIndex = targeted === undefined ? -1 : shown.indexOf(targeted)
  const reached = useRef<number | null>(null)
  useEffect(() => {
    if (target === null || targetIndex < 0 || reached.current === target) return
    reached.current = target
    setFollowing(false)
    virtual.scrollToIndex(targetIndex, { align: 'center' })
    // On a phone the log is below the rest of the page.
    scroller.current?.scrollIntoView({ block: 'nearest' })
  }, [target, targetIndex, virtual])

  const toEnd = (): void => {
    setPaused(null)
    setPointed(false)
    setFollowing(true)
    reached.current = null
    if (target !== null) onTarget(null)
  }
  const point = (index: number): void => {
    const line = shown[index]
    if (line === undefined) return
    reached.current = line[lineKey]
    setFollowing(false)
    onTarget(line[lineKey])
    virtual.scrollToIndex(index, { align: 'auto' })
  }
  const onKey = (event: KeyboardEvent): void => {
    const from = targetIndex < 0 ? shown.length : targetIndex
    if (event.key === 'ArrowDown') point(Math.min(from + 1, shown.length - 1))
    else if (event.key === 'ArrowUp') point(Math.max(from - 1, 0))
    else if (event.key === 'Escape' && target !== null) onTarget(null)
    else if (event.key === 'End') toEnd()
    else return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent): void => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-place]') : null
    if (row === null || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    point(indexAt(shown, lineKey, Number(row.dataset['place'])))
  }
  const onScroll = (): void => {
    const element = scroller.current
    if (element === null) return
    const left = linesBelow(element)
    setBelow(left)
    // Lines added below while the log was held do not count as scrolling away.
    if (left === 0) setFollowing(target === null)
    else if (!held || virtual.scrollDirection === 'backward') setFollowing(false)
    if (element.scrollTop < rowHeight * 20 && !state.whole) void log.loadOlder()
  }

  const newest = state.lines.at(-1)?.[lineKey] ?? 0
  const waiting = paused !== null ? countAfter(state.lines, lineKey, paused) : following ? below : 0

  return (
    <section className="log" aria-label={label}>
      <div className="log-bar">
        <input
          type="search"
          aria-label="Filter lines by text"
          placeholder="Filter"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <label className="check">
          <input type="checkbox" checked={all} onChange={(event) => setVerbose(event.target.checked)} />
          Verbose{hidden > 0 && <span className="muted figure"> {figure(hidden)} more</span>}
        </label>
        <span className="grow" />
        <span className="muted figure cut">{summary(shown, state)}</span>
        {onFilter !== undefined && state.phase === 'ready' && !state.whole && state.lines.length < maxLines && (
          <button type="button" onClick={() => void log.loadOlder()}>
            Load older
          </button>
        )}
        <button
          type="button"
          aria-pressed={paused !== null}
          onClick={() => (paused === null ? setPaused(newest) : toEnd())}
        >
          {paused === null ? 'Pause' : 'Resume'}
        </button>
      </div>
      <div
        ref={scroller}
        className="log-lines"
        role="log"
        aria-live="off"
        aria-label={`${label}: lines`}
        tabIndex={0}
        onScroll={onScroll}
        onClick={onClick}
        onKeyDown={onKey}
        onPointerMove={(event) => setPointed(event.pointerType === 'mouse')}
        onPointerLeave={() => setPointed(false)}
        // All numbers get the width of the largest, so that nothing moves sideways from 9,999 to 10,000.
        style={{ '--digits': String(newest).length } as CSSProperties}
      >
        {shown.length === 0 && state.phase === 'ready' && (
          <p className="none muted">{state.lines.length === 0 ? emptyText : 'No line matches the filter.'}</p>
        )}
        <div className="log-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const line = shown[item.index]
            if (line === undefined) return null
            return (
              <Row
                key={item.key}
                line={line}
                number={line[lineKey]}
                top={item.start}
                origin={origin?.(line) ?? null}
                pointedAt={line[lineKey] === target}
              />
            )
          })}
        </div>
      </div>
      {(waiting > 0 || below > 0) && (
        <button type="button" className="to-end" onClick={toEnd}>
          {endText(waiting, below, ended === true && paused === null)} ↓
        </button>
      )}
      {state.error !== null && (
        <p className="log-error" role="alert">
          {explain(state.error).cause}{' '}
          <button type="button" onClick={() => void log.catchUp().then(log.loadOlder)}>
            Retry
          </button>
        </p>
      )}
    </section>
  )
}

interface RowProps {
  line: Line
  number: number
  top: number
  origin: string | null
  pointedAt: boolean
}

/** A row is drawn again only when it changes: scrolling by one line draws one row, not fifty. */
const Row = memo(function Row({ line, number, top, origin, pointedAt }: RowProps) {
  const tone = lineTone(line)
  const ms = Date.parse(line.at)
  return (
    <div
      className={`line level-${line.level}`}
      data-place={number}
      data-pointed={pointedAt || undefined}
      style={{ transform: `translateY(${top}px)` }}
    >
      <a className="figure muted" href={`#${number}`} tabIndex={-1} title="Link to this line">
        {number}
      </a>
      <time className="muted" dateTime={line.at} title={exactTime(ms)}>
        {clockTime(ms)}
      </time>
      <Sign tone={tone} />
      <span className="tier muted">{line.tier ?? (line.runId === null ? '' : 'RUN')}</span>
      {origin !== null && <span className="origin muted">{origin}</span>}
      <b className={`tone-${tone}`}>{line.code ?? (line.kind === 'log' ? line.by : humanise(line.kind))}</b>
      <span className="cut">{withoutSign(line.message)}</span>
    </div>
  )
})

function endText(waiting: number, below: number, ended: boolean): string {
  if (ended) return `${counted(Math.max(waiting, below), 'more line')} below`
  return waiting > 0 ? counted(waiting, 'new line') : 'Go to the newest line'
}

/** Adjusts the scroll position when older lines are added at the beginning, so that the visible lines do not move. */
function useScrollAnchor(element: HTMLElement | null, shown: readonly Line[], lineKey: LineKey): void {
  const first = useRef<number | null>(null)
  useLayoutEffect(() => {
    const was = first.current
    first.current = shown[0]?.[lineKey] ?? null
    if (was === null || element === null || first.current === null || first.current >= was) return
    const added = indexAt(shown, lineKey, was)
    if (added > 0 && shown[added]?.[lineKey] === was) element.scrollTop += added * rowHeight
  }, [element, shown, lineKey])
}

const linesBelow = (element: HTMLElement): number =>
  Math.floor((element.scrollHeight - element.scrollTop - element.clientHeight) / rowHeight)

/**
 * Tracks the height, which the window, a wrapped toolbar or an opened line can reduce: a log that follows its end stays
 * there.
 */
function useHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(element.current?.clientHeight ?? 0))
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return height
}

function useHidden(lines: readonly Line[], all: boolean): number {
  return useMemo(
    () => (all ? 0 : lines.reduce((sum, line) => sum + (line.level === 'verbose' ? 1 : 0), 0)),
    [lines, all],
  )
}

function summary(shown: readonly Line[], state: LogState): string {
  if (state.phase === 'loading') return 'loading'
  const some =
    shown.length === state.lines.length
      ? counted(shown.length, 'line')
      : `${figure(shown.length)} of ${figure(state.lines.length)}`
  if (state.whole) return some
  return state.lines.length >= maxLines ? `newest ${some}` : `${some}, older not loaded`
}
