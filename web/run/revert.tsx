import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { addresses, navigate } from '../router.tsx'
import { useOperation } from '../use-operation.ts'

/** Takes the landed result of a run back with another run, whose page opens. */
export function RevertRun({ run }: { run: Run }) {
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const revert = useOperation(operations.revert.start, async (made) => {
    setAsking(false)
    await Promise.all([keys.runs, keys.pullRequests].map((queryKey) => queries.invalidateQueries({ queryKey })))
    navigate(addresses.run(made.id))
  })
  if (run.status !== 'done' || run.repository === null) return null
  const { branch } = run.repository
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Revert…
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} label="Revert this run?" className="confirm">
        <h2>Revert this run?</h2>
        <p>
          A new pull request takes back what this run merged into {branch}, and nothing else. Nothing changes in{' '}
          {branch} before you approve it.
        </p>
        {revert.error !== null && <ErrorLine error={revert.error} />}
        <p className="buttons">
          <button type="button" autoFocus onClick={() => setAsking(false)}>
            Keep the result
          </button>
          <button
            type="button"
            className="primary"
            disabled={revert.isPending}
            onClick={() => revert.perform({ runId: run.id })}
          >
            {revert.isPending ? 'Opening' : 'Open the pull request'}
          </button>
        </p>
      </Dialog>
    </>
  )
}
