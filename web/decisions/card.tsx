import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'

import type { Run } from '../../src/work/runs/contract.ts'
import { type State, StateLabel } from '../parts/state.tsx'
import { Simulated } from '../runs/simulated.tsx'
import { runLineQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'

export interface CardProps {
  /** It is still to be decided, as far as the daemon says. */
  waits: boolean
  /** The run whose page it stands on; null anywhere else. */
  within: Run | null
  /** Somebody writes on it or has decided it here: it must not go away under their hands. */
  onTouch: () => void
  onDecided: () => unknown
}

/** Its run, which a card far from its page has to ask for. */
export function useRunOf(runId: string, within: Run | null): Run | undefined {
  return useQuery({ ...runLineQuery(runId), enabled: within === null }).data ?? within ?? undefined
}

/** Which run it holds up. */
export function RunLink({ run, runId }: { run: Run | undefined; runId: string }) {
  return (
    <p>
      <Link to={addresses.run(runId)}>{run?.goalAnchor ?? runId}</Link> {run?.simulated && <Simulated />}
    </p>
  )
}

/** What became of it, in the place where it was asked; focus that was on its buttons goes here. */
export function OutcomeLine({ state, mine, children }: { state: State; mine: boolean; children?: ReactNode }) {
  const line = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (mine && (document.activeElement === null || document.activeElement === document.body)) line.current?.focus()
  }, [mine])
  return (
    <p ref={line} className="facts settled" role="status" tabIndex={-1}>
      <StateLabel state={state} />
      {children}
    </p>
  )
}
