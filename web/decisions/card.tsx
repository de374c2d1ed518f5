import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'

import type { Run } from '../../src/work/runs/contract.ts'
import { type State, StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
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

/**
 * Shows a decided card as one line: the outcome, the title, and when it was decided. It takes the focus that was on the
 * buttons, also after the line has moved away from the cards that wait.
 */
export function OutcomeLine({
  state,
  mine,
  waits,
  title,
  about,
  at,
  children,
}: {
  state: State
  mine: boolean
  waits: boolean
  title: ReactNode
  /** The run, where the page does not show it anyway. */
  about: { run: Run | undefined; runId: string } | null
  at: string | null
  children?: ReactNode
}) {
  const line = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (mine && isLost) line.current?.focus({ preventScroll: true })
  }, [mine, waits])
  return (
    <p ref={line} className="facts settled" role="status" tabIndex={-1}>
      <StateLabel state={state} />
      {children}
      <span className="settled-title">{title}</span>
      {about !== null && <Link to={addresses.run(about.runId)}>{about.run?.goalAnchor ?? about.runId}</Link>}
      {at !== null && (
        <span className="muted">
          decided <Ago at={at} />
        </span>
      )}
    </p>
  )
}
