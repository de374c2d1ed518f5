import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, useRef, useState } from 'react'

import { useSecond } from '../clock.ts'
import { Sign } from '../parts/state.tsx'
import type { Inspection } from '../queries.ts'
import { Link } from '../router.tsx'
import { coarseDuration, duration, exactTime } from '../text.ts'
import { type Lane, type Span, ticksOf, type Timeline, timelineOf } from './spans.ts'

const laneHeight = 24

/** Shows attempts and waits over time: one lane per brief, one bar per attempt. */
export function TimelineView({ inspection }: { inspection: Inspection }) {
  const now = useSecond()
  const [hideWaiting, setHideWaiting] = useState(false)
  const timeline = timelineOf(inspection, now, { hideWaiting })
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: timeline.lanes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => laneHeight,
    overscan: 10,
    getItemKey: (index) => timeline.lanes[index]?.key ?? index,
  })
  if (timeline.lanes.length === 0)
    return <p className="none muted">No attempts yet. Attempts and waits appear here over time.</p>
  return (
    <div className="timeline">
      <Totals timeline={timeline} hideWaiting={hideWaiting} onHide={setHideWaiting} />
      <div ref={scroller} className="lanes" tabIndex={0} role="region" aria-label="Attempts over time">
        <Axis timeline={timeline} />
        <ul className="plain" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const lane = timeline.lanes[item.index]
            return lane === undefined ? null : (
              <LaneRow key={item.key} lane={lane} timeline={timeline} top={item.start} />
            )
          })}
        </ul>
      </div>
    </div>
  )
}

function Totals({
  timeline: { begin, end, worked, again, waited, idle },
  hideWaiting,
  onHide,
}: {
  timeline: Timeline
  hideWaiting: boolean
  onHide: (hide: boolean) => void
}) {
  return (
    <p className="facts view-bar">
      <span>
        <b className="figure">{duration(end - begin)}</b> in total
      </span>
      <span>
        agents worked <b className="figure">{duration(worked)}</b>
        {again > 0 && (
          <span className="muted">
            , including <span className="figure">{duration(again)}</span> on retries
          </span>
        )}
      </span>
      {waited > 0 && (
        <span className="tone-waiting">
          waited for you <b className="figure">{duration(waited)}</b>
        </span>
      )}
      {idle > 0 && (
        <label className="check">
          <input type="checkbox" checked={hideWaiting} onChange={(event) => onHide(event.target.checked)} />
          Hide waiting <span className="muted figure">{duration(idle)} without agents</span>
        </label>
      )}
    </p>
  )
}

function Axis({ timeline: { length, hidden, place } }: { timeline: Timeline }) {
  return (
    <div className="axis" aria-hidden="true">
      <span className="lane-title" />
      <span className="track">
        {ticksOf(length)
          // A tick at the very end would be outside the axis.
          .filter((tick) => tick < length * 0.93)
          .map((tick) => (
            <span key={tick} className="tick figure muted" style={{ left: `${(tick / length) * 100}%` }}>
              {tickText(tick)}
            </span>
          ))}
        {hidden.map(({ from, to }) => (
          <span
            key={from}
            className="cut-time"
            style={{ left: `${place(from) * 100}%` }}
            title={`${duration(to - from)} without agents, from ${exactTime(from)}`}
          />
        ))}
      </span>
    </div>
  )
}

function tickText(ms: number): string {
  if (ms === 0) return '0'
  if (ms < 60_000) return duration(ms)
  return ms % 60_000 === 0
    ? coarseDuration(ms)
    : `${Math.floor(ms / 60_000)}:${String((ms % 60_000) / 1_000).padStart(2, '0')} min`
}

function LaneRow({ lane, timeline, top }: { lane: Lane; timeline: Timeline; top: number }) {
  return (
    <li className="lane" style={{ transform: `translateY(${top}px)` }}>
      <Link to={lane.to} className={lane.inner ? 'lane-title inner cut' : 'lane-title cut'}>
        {lane.title}
      </Link>
      <span className="track">
        {lane.spans.map((span) => (
          <Bar key={span.key} span={span} timeline={timeline} />
        ))}
      </span>
    </li>
  )
}

function Bar({ span, timeline: { place } }: { span: Span; timeline: Timeline }) {
  const left = place(span.from) * 100
  const style: CSSProperties = { left: `${left}%`, width: `${Math.max(0, place(span.to) * 100 - left)}%` }
  const text = `${span.text}; ${duration(span.to - span.from)} from ${exactTime(span.from)}`
  return (
    <span className={`span tone-${span.tone}`} style={style} title={text}>
      <Sign tone={span.tone} />
      <span className="unseen">{text}</span>
    </span>
  )
}
