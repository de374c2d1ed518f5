import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Sign } from '../parts/state.tsx'
import { statusQuery } from '../queries.ts'
import { hasNoBox, noBoxReason } from './labels.ts'

const storageKey = 'agency.box-known'

/** Said once to each browser, on the pages where it matters: here, nothing keeps an agent inside its workspace. */
export function NoBoxBanner() {
  const box = useQuery(statusQuery).data?.box
  const [known, setKnown] = useState(wasTold)
  if (box === undefined || !hasNoBox(box) || known === box) return null
  const understood = (): void => {
    setKnown(box)
    try {
      localStorage.setItem(storageKey, box)
    } catch {
      // Storage can be forbidden; then it is said again after a reload.
    }
  }
  return (
    <div className="no-box" role="note">
      <Sign tone="waiting" />
      <p className="grow">
        <b>Agents are not boxed here</b>: {noBoxReason(box)}. What they start runs with the daemon’s own rights. “agency
        doctor” says what to do about it.
      </p>
      <button type="button" onClick={understood}>
        Understood
      </button>
    </div>
  )
}

function wasTold(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}
