import { useState } from 'react'

import { reportOperations } from '../../src/work/reports/contract.ts'
import { call } from '../client.ts'
import { save } from '../files/content.ts'
import { ErrorLine } from '../parts/error-line.tsx'

/** Makes the report of a run as one HTML file and saves it: it is shown by nothing that has the session of this page. */
export function ShareReport({ runId }: { runId: string }) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const start = (): void => {
    setBusy(true)
    setError(null)
    call(reportOperations.make, { runId, format: 'html' })
      .then(({ text, fileName }) => save(new Blob([text], { type: 'application/octet-stream' }), fileName))
      .catch(setError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <button type="button" disabled={busy} onClick={start}>
        {busy ? 'Making the report' : 'Share report'}
      </button>
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}
