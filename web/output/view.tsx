import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

import { explain, Skeleton } from '../parts/notices.tsx'
import { size } from '../text.ts'
import { useOutput } from './use-output.ts'

const rowHeight = 18

/** Shows the output of an attempt while it is written. Escape sequences become colours and nothing else. */
export function OutputView({ attemptId }: { attemptId: string }) {
  const scroller = useRef<HTMLDivElement>(null)
  const probe = useRef<HTMLSpanElement>(null)
  const columns = useColumns(scroller, probe)
  const [begin, setBegin] = useState(false)
  const { screen, version, ended, skipped, phase, error } = useOutput(attemptId, begin, columns)
  const count = screen?.length() ?? 0
  const [following, setFollowing] = useState(true)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  })
  const toEnd = (): void => {
    setFollowing(true)
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }
  useLayoutEffect(() => {
    if (following && scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [following, version, count])
  const onScroll = (): void => {
    const element = scroller.current
    if (element !== null) setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'End') return
    event.preventDefault()
    toEnd()
  }
  return (
    <div className="output">
      {skipped > 0 && (
        <p className="facts output-bar">
          <span className="muted">The first {size(skipped)} are not shown.</span>
          <button type="button" onClick={() => setBegin(true)}>
            Show from the beginning
          </button>
        </p>
      )}
      {error !== null && (
        <p role="alert" className="tone-bad output-bar">
          {explain(error).cause} Retrying.
        </p>
      )}
      <div
        ref={scroller}
        className="output-lines"
        role="log"
        aria-live="off"
        aria-label="Output of the attempt"
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKey}
      >
        <span ref={probe} className="probe" aria-hidden="true">
          {'0'.repeat(100)}
        </span>
        {phase === 'loading' && error === null && <Skeleton lines={6} label="the output" />}
        {phase === 'ready' && count === 0 && (
          <p className="none muted">{ended ? 'The agent printed nothing.' : 'The agent has printed nothing yet.'}</p>
        )}
        <div className="output-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => (
            <div key={item.key} className="output-line" style={{ transform: `translateY(${item.start}px)` }}>
              {screen?.line(item.index).map(({ text, look }, index) =>
                look === '' ? (
                  text
                ) : (
                  <span key={index} className={look}>
                    {text}
                  </span>
                ),
              )}
            </div>
          ))}
        </div>
      </div>
      {!following && count > 0 && (
        <button type="button" className="to-end" onClick={toEnd}>
          Go to the end ↓
        </button>
      )}
    </div>
  )
}

/** Returns the number of columns that fit. */
function useColumns(scroller: RefObject<HTMLElement | null>, probe: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(100)
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      const letter = (probe.current?.getBoundingClientRect().width ?? 0) / 100
      const room = (scroller.current?.clientWidth ?? 0) - padding
      if (letter > 0 && room > 0) setColumns(Math.max(20, Math.min(400, Math.floor(room / letter))))
    })
    if (scroller.current !== null) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, probe])
  return columns
}

const padding = 24
