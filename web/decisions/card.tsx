import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'

import type { Run } from '../../src/work/runs/contract.ts'
import { type State, StateLabel } from '../parts/state.tsx'
import { runLineQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { Simulated } from '../runs/simulated.tsx'

export interface CardProps {
  /** The daemon reports the decision as pending. */
  waits: boolean
  /** The run, if the card is on its page; null on any other page. */
  within: Run | null
  /** Called when the operator writes on the card or decides it here: then it must not disappear. */
  onTouch: () => void
  onDecided: () => unknown
}

/** Returns the run of a card, if it has one; outside the page of the run it is fetched. */
export function useRunOf(runId: string | null, within: Run | null): Run | undefined {
  const fetched = useQuery({ ...runLineQuery(runId ?? ''), enabled: within === null && runId !== null })
  return fetched.data ?? within ?? undefined
}

/** Links to the run that waits for the decision. */
export function RunLink({ run, runId }: { run: Run | undefined; runId: string }) {
  return (
    <p>
      <Link to={addresses.run(runId)}>{run?.goalAnchor ?? runId}</Link> {run?.simulated && <Simulated />}
    </p>
  )
}

/** Shows the outcome of a decision in place of its buttons, and takes the focus that was on them. */
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
