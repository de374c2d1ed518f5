import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Sign } from '../parts/state.tsx'
import { statusQuery } from '../queries.ts'
import { hasNoBox, noBoxReason } from './labels.ts'

const storageKey = 'agency.box-known'

/** Warns each browser once, on the pages where it matters, that nothing confines an agent to its workspace. */
export function NoBoxBanner() {
  const box = useQuery(statusQuery).data?.box
  const [known, setKnown] = useState(acknowledged)
  if (box === undefined || !hasNoBox(box) || known === box) return null
  const acknowledge = (): void => {
    setKnown(box)
    try {
      localStorage.setItem(storageKey, box)
    } catch {
      // Storage can be forbidden; then the warning returns after a reload.
    }
  }
  return (
    <div className="no-box" role="note">
      <Sign tone="waiting" />
      <p className="grow">
        <b>Agents are not boxed</b>: {noBoxReason(box)}. Their commands run with the daemon’s own rights. Run “agency
        doctor” for the next step.
      </p>
      <button type="button" onClick={acknowledge}>
        Understood
      </button>
    </div>
  )
}

function acknowledged(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}
