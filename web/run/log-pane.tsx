import { LineDetail } from '../events/line-detail.tsx'
import { LogView } from '../events/log-view.tsx'
import { useRunLog } from '../live/use-log.ts'
import { Failure, Skeleton } from '../parts/notices.tsx'
import { navigate } from '../router.tsx'

/** The log of a run. A number after `#` is a line of it; an id belongs to the brief. */
export function RunLog({ runId, ended, place, hash }: { runId: string; ended: boolean; place: string; hash: string }) {
  const { log, state } = useRunLog(runId)
  const target = /^\d+$/.test(hash) ? Number(hash) : null
  const point = (seq: number | null): void => navigate(seq === null ? place : `${place}#${seq}`, { replace: true })
  return (
    <div className="log-pane">
      {state.phase === 'loading' && state.lines.length === 0 ? (
        <Skeleton lines={6} label="the log" />
      ) : state.phase === 'failed' ? (
        <Failure error={state.error} retry={() => void log.catchUp()} name="The log" />
      ) : (
        <LogView
          log={log}
          state={state}
          label="Log of the run"
          lineKey="seq"
          target={target}
          onTarget={point}
          emptyText="No events yet."
          ended={ended}
        />
      )}
      {target !== null && <LineDetail at={{ runId, seq: target }} onClose={() => point(null)} />}
    </div>
  )
}
