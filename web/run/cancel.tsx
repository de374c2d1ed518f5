import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { call } from '../client.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import { keys } from '../queries.ts'
import { counted } from '../text.ts'

export function CancelRun({ run }: { run: Run }) {
  const [asking, setAsking] = useState(false)
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => call(operations.run.cancel, { runId: run.id, reason: 'cancelled from the dashboard' }),
    onSuccess: () => {
      setAsking(false)
      return Promise.all([
        queries.invalidateQueries({ queryKey: keys.run(run.id) }),
        queries.invalidateQueries({ queryKey: keys.runs }),
      ])
    },
  })
  const close = (): void => {
    setAsking(false)
    cancel.reset()
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Cancel run…
      </button>
      <Dialog open={asking} onClose={close} label="Cancel this run?" className="confirm">
        <h2>Cancel this run?</h2>
        <p>
          {counted(run.briefsOpen, 'open brief')} will be cancelled and running agents ended. Finished work is kept. A
          cancelled run cannot be resumed.
        </p>
        {cancel.isError && <ErrorLine error={cancel.error} />}
        <p className="buttons">
          <button type="button" autoFocus onClick={close}>
            Keep running
          </button>
          <button type="button" className="primary" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            {cancel.isPending ? 'Cancelling' : `Cancel the run and ${counted(run.briefsOpen, 'brief')}`}
          </button>
        </p>
      </Dialog>
    </>
  )
}
