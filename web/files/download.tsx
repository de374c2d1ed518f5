import { useState } from 'react'

import { ErrorLine } from '../parts/error-line.tsx'
import { save } from './content.ts'

/** Fetches a file with the session of this tab, which a plain link cannot send, and saves it. */
export function Download({
  path,
  bytes,
  most,
  command,
  fetchAll,
}: {
  path: string
  bytes: number
  /** Above this size the command line is named instead. */
  most: number
  command: string
  fetchAll: () => Promise<Blob>
}) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  if (bytes > most)
    return (
      <span className="muted">
        too large to download here; use <code>{command}</code>
      </span>
    )
  const start = (): void => {
    setBusy(true)
    setError(null)
    fetchAll()
      .then((blob) => save(blob, path))
      .catch(setError)
      .finally(() => setBusy(false))
  }
  return (
    <>
      <button type="button" disabled={busy} onClick={start}>
        {busy ? 'Downloading' : 'Download'}
      </button>
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}
