import { useQueryClient } from '@tanstack/react-query'

import { operations } from '../../src/operations/all.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { useOperation } from '../use-operation.ts'
import { RunAgain } from '../again/again.tsx'
import { CancelRun } from './cancel.tsx'
import { RevertRun } from './revert.tsx'

/** Buttons to pause, resume, cancel and revert a run, as far as they apply to its status. */
export function RunControl({ run }: { run: Run }) {
  const queries = useQueryClient()
  const done = (): Promise<unknown> =>
    Promise.all([keys.run(run.id), keys.runs, keys.waiting].map((queryKey) => queries.invalidateQueries({ queryKey })))
  const pause = useOperation(operations.gate.pause, done)
  const resume = useOperation(operations.gate.resume, done)
  const error = pause.error ?? resume.error
  if (run.endedAt !== null)
    return (
      <div className="control">
        <div className="buttons">
          <RunAgain run={run} />
          <RevertRun run={run} />
        </div>
      </div>
    )
  return (
    <div className="control">
      <div className="buttons">
        {(run.status === 'running' || run.status === 'gated') && (
          <button
            type="button"
            title="Start no new attempts; running agents finish"
            disabled={pause.isPending}
            onClick={() => pause.perform({ runId: run.id, reason: 'paused from the dashboard' })}
          >
            {pause.isPending ? 'Pausing' : 'Pause run'}
          </button>
        )}
        {run.status === 'paused' && (
          <button type="button" disabled={resume.isPending} onClick={() => resume.perform({ runId: run.id })}>
            {resume.isPending ? 'Resuming' : 'Resume run'}
          </button>
        )}
        <CancelRun run={run} />
      </div>
      {error !== null && <ErrorLine error={error} />}
    </div>
  )
}
