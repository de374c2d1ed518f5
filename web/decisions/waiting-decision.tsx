import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { Decision } from '../../src/work/decisions/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { useSecond } from '../clock.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { StateLabel } from '../parts/state.tsx'
import { statusQuery } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { useOperation } from '../use-operation.ts'

/** Returns the time for which decisions of this page can be undone, as the configuration says. */
export const useUndoSeconds = (): number => useQuery(statusQuery).data?.undoSeconds ?? 10

const pastOf: Record<Decision['action'], string> = { approve: 'Approved', reject: 'Rejected', answer: 'Answered' }

export const waitingOf = (decisions: readonly Decision[] = []): readonly Decision[] =>
  decisions.filter(({ status }) => status === 'waiting')

/** Shows a decision that has not taken effect, with the time that is left and a button that takes it back. */
export function WaitingDecision({
  decision,
  detail,
  mine,
  title,
  about,
  onUndone,
}: {
  decision: Decision
  /** The answer or the reason. */
  detail: string | null
  /** It was made on this card: then the line takes the focus that was on the buttons. */
  mine: boolean
  title: ReactNode
  /** The run, where the page does not show it anyway. */
  about: { run: Run | undefined; runId: string } | null
  onUndone: () => unknown
}) {
  const line = useRef<HTMLParagraphElement>(null)
  const undo = useOperation(operations.decision.undo, onUndone)
  const { action, by, effectiveAt, decidedAt } = decision
  const made = `${pastOf[action]} by ${by === 'operator' ? 'you' : by}`
  const wholeMs = Date.parse(effectiveAt) - Date.parse(decidedAt)
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (mine && isLost) line.current?.focus({ preventScroll: true })
  }, [mine])
  return (
    <>
      <p ref={line} className="facts settled" tabIndex={-1} data-decision={decision.id}>
        <StateLabel state={{ tone: 'waiting', text: made }} />
        {detail !== null && <span className="written">{detail}</span>}
        <TimeLeft effectiveAt={effectiveAt} wholeMs={wholeMs} />
        {/* The seconds are not read aloud one by one: the decision is announced once, with its time. */}
        <span role="status" className="unseen">
          {made}. It takes effect in {Math.round(wholeMs / 1_000)} seconds, unless you undo it.
        </span>
        <button type="button" disabled={undo.isPending} onClick={() => undo.perform({ target: decision.id })}>
          {undo.isPending ? 'Undoing' : 'Undo'}
        </button>
        <span className="settled-title">{title}</span>
        {about !== null && <Link to={addresses.run(about.runId)}>{about.run?.goalAnchor ?? about.runId}</Link>}
      </p>
      {undo.error !== null && <ErrorLine error={undo.error} />}
    </>
  )
}

/** The browser's clock may differ from that of the daemon: the time left is never more than the whole time. */
function TimeLeft({ effectiveAt, wholeMs }: { effectiveAt: string; wholeMs: number }) {
  const leftMs = Math.min(wholeMs, Date.parse(effectiveAt) - useSecond())
  return (
    <span className="muted time-left" aria-hidden="true">
      {leftMs > 0 ? `takes effect in ${Math.ceil(leftMs / 1_000)} s` : 'takes effect now'}
    </span>
  )
}

/** Shows why the newest decision could not take effect. */
export function RefusedDecision({ decisions = [] }: { decisions?: readonly Decision[] | undefined }) {
  const refused = decisions.findLast(({ status }) => status === 'refused')
  if (refused === undefined) return null
  const { action, reason } = refused
  const noun = action === 'answer' ? 'answer' : action === 'approve' ? 'approval' : 'rejection'
  return (
    <span className="tone-bad written">
      Your {noun} did not take effect: {reason}
    </span>
  )
}

/** Moves the focus to the first button of a card that waits again after its decision was taken back on it. */
export function useFocusAfterUndo(isWaiting: boolean): { card: RefObject<HTMLLIElement | null>; onUndone: () => void } {
  const card = useRef<HTMLLIElement>(null)
  const undone = useRef(false)
  useEffect(() => {
    if (isWaiting || !undone.current) return
    undone.current = false
    card.current?.querySelector<HTMLButtonElement>('.decide button')?.focus({ preventScroll: true })
  }, [isWaiting])
  return { card, onUndone: () => void (undone.current = true) }
}
