import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { type Inspection, keys } from '../queries.ts'
import { addresses, Link, navigate } from '../router.tsx'
import { useOperation } from '../use-operation.ts'

/** Buttons to continue an ended run: with the rest of its work, or with all of it. */
export function RunAgain({ run }: { run: Run }) {
  const { purpose, reverts } = run.configuration
  const isPart = purpose !== undefined || reverts !== undefined
  return (
    <>
      {!isPart && run.status !== 'done' && <RetryRun run={run} label="Retry failed briefs" />}
      <Link to={addresses.newRunFrom(run.id)} className="button">
        Run again…
      </Link>
    </>
  )
}

/** Starts a run that continues an ended one, and opens its page; the ended one is not changed. */
export function RetryRun({ run, from, label }: { run: Pick<Run, 'id'>; from?: string; label: string }) {
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const queries = useQueryClient()
  const retry = useOperation(operations.run.retry, async (made) => {
    setAsking(false)
    await Promise.all([keys.run(run.id), keys.runs].map((queryKey) => queries.invalidateQueries({ queryKey })))
    navigate(addresses.run(made.id))
  })
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {label}
      </button>
      <Dialog open={isAsking} onClose={() => setAsking(false)} label={`${label}?`} className="confirm">
        <h2>{label}?</h2>
        <p>
          A new run keeps the accepted work of this one and does the rest again
          {from !== undefined && <>: {from}, what depends on it, and what was not accepted</>}. If nothing can be kept,
          it begins again. This run stays as it is.
        </p>
        <label>
          Advice for the agents, if you have some
          <textarea rows={3} maxLength={2_000} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        {retry.error !== null && <ErrorLine error={retry.error} />}
        <p className="buttons">
          <button type="button" onClick={() => setAsking(false)}>
            Keep it ended
          </button>
          <button
            type="button"
            className="primary"
            disabled={retry.isPending}
            onClick={() =>
              retry.perform({ runId: run.id, from, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })
            }
          >
            {retry.isPending ? 'Starting' : 'Start the run'}
          </button>
        </p>
      </Dialog>
    </>
  )
}

/** Names the run that a run continues, and those that continue it. */
export function Continuations({ inspection }: { inspection: Inspection }) {
  const { continues } = inspection.run.configuration
  const { continuedBy } = inspection
  if (continues === undefined && continuedBy.length === 0) return null
  return (
    <div className="continuations">
      {continues !== undefined && (
        <p>
          {continues.kind === 'fork' ? 'Fork of ' : 'Continues '}
          <Link to={addresses.run(continues.runId)}>{continues.runId}</Link>.{' '}
          <span className="muted">
            <VisibleText text={continues.note} />
          </span>
        </p>
      )}
      {continuedBy.map(({ id, kind }) => (
        <p key={id}>
          {kind === 'fork' ? 'Forked as ' : 'Continued by '}
          <Link to={addresses.run(id)}>{id}</Link>
        </p>
      ))}
    </div>
  )
}
