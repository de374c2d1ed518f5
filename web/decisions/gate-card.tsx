import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { operations } from '../../src/operations/all.contract.ts'
import type { GateView } from '../../src/work/gates/contract.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import { useSecond } from '../clock.ts'
import { personasQuery } from '../org/queries.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorLine } from '../parts/error-line.tsx'
import { StateLabel } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { addresses, Link } from '../router.tsx'
import { coarseDuration, counted } from '../text.ts'
import { useOperation } from '../use-operation.ts'
import { type CardProps, RunLink, useRunOf } from './card.tsx'
import { GateOutcome, plain } from './gate-outcome.tsx'
import { GateSummary } from './gate-summary.tsx'
import { gateNames } from './labels.ts'
import { RefusedDecision, useFocusAfterUndo, useUndoSeconds, WaitingDecision, waitingOf } from './waiting-decision.tsx'

/** A gate to decide within a minute: the result, the next step, anomalies and the cost. */
export function GateCard({ gate, waits, within, onTouch, onDecided }: CardProps & { gate: GateView }) {
  const run = useRunOf(gate.runId, within)
  const title = useId()
  const [rejecting, setRejecting] = useState(false)
  const [reason, setReason] = useState('')
  const [as, setAs] = useState('')
  const approve = useOperation(operations.gate.approve, onDecided)
  const reject = useOperation(operations.gate.reject, () => {
    setRejecting(false)
    return onDecided()
  })
  const decided = reject.data ?? approve.data
  const undoSeconds = useUndoSeconds()
  const approver = as === '' ? {} : { as }
  const about = gate.boundary.startsWith('brief:') ? gate.boundary.slice('brief:'.length) : null
  const over = !waits || (decided !== undefined && decided.status !== 'pending')
  const made = waitingOf(gate.decisions)
  // One approval of several leaves the gate open for the others.
  const settling = !over && gate.approvalsNeeded === undefined ? made[0] : undefined
  const { card, onUndone } = useFocusAfterUndo(settling !== undefined)
  const undone = (): unknown => {
    onUndone()
    return onDecided()
  }
  const waitingLine = (decision: (typeof made)[number]) => (
    <WaitingDecision
      key={decision.id}
      decision={decision}
      detail={decision.action === 'reject' ? decision.text : null}
      mine={decided !== undefined}
      title={settling === undefined ? null : <b id={title}>{gateNames[gate.gate] ?? `Gate ${gate.gate}`}</b>}
      about={settling === undefined || within !== null ? null : { run, runId: gate.runId }}
      onUndone={undone}
    />
  )
  return (
    <li
      ref={card}
      className="card ask"
      aria-labelledby={title}
      data-gate={gate.id}
      data-over={over || undefined}
      data-settling={settling !== undefined || undefined}
    >
      {settling !== undefined ? (
        waitingLine(settling)
      ) : over ? (
        <GateOutcome gate={gate} title={title} run={run} within={within} waits={waits} decided={decided} />
      ) : (
        <>
          <p className="facts">
            <StateLabel state={{ tone: 'waiting', text: 'waits for you' }} />
            <span className="muted">
              <Ago at={gate.pendingSince} />
            </span>
            {about !== null && <Link to={addresses.brief(gate.runId, about)}>held brief</Link>}
            {gate.timeoutMinutes !== null && <TimeLeft since={gate.pendingSince} minutes={gate.timeoutMinutes} />}
            {gate.approvalsNeeded !== undefined && (
              <span className="label">
                {approvalsOf(gate, decided)} of {gate.approvalsNeeded} approvals
              </span>
            )}
          </p>
          <h2 id={title}>{gateNames[gate.gate] ?? `Gate ${gate.gate}`}</h2>
          {within === null && <RunLink run={run} runId={gate.runId} />}
          <GateSummary gate={gate} run={run} />
          {(approve.error ?? null) !== null && <ErrorLine error={approve.error} />}
          <RefusedDecision decisions={gate.decisions} />
          {made.map(waitingLine)}
          {decided?.status === 'pending' && decided.decisions === undefined && (
            <p className="muted" role="status">
              {plain(decided.confirmation)}
            </p>
          )}
          <div className="decide">
            {gate.approvalsNeeded !== undefined && <ApproverSelect value={as} onChange={setAs} gate={gate} />}
            <button
              type="button"
              className="primary"
              disabled={approve.isPending || reject.isPending}
              onClick={() => {
                onTouch()
                approve.perform({ target: gate.id, undoSeconds, ...approver })
              }}
            >
              {approve.isPending ? 'Approving' : approveLabel(gate, run)}
            </button>
            {gate.gate !== 'manual' && (
              <button
                type="button"
                disabled={approve.isPending || reject.isPending}
                onClick={() => {
                  onTouch()
                  setRejecting(true)
                }}
              >
                Reject…
              </button>
            )}
          </div>
        </>
      )}
      <Dialog
        open={rejecting}
        onClose={() => setRejecting(false)}
        label={`Reject: ${gateNames[gate.gate] ?? gate.gate}`}
        className="confirm"
      >
        <Reject
          gate={gate}
          run={run}
          reason={reason}
          onReason={setReason}
          pending={reject.isPending}
          error={reject.error}
          onClose={() => setRejecting(false)}
          onReject={() => reject.perform({ target: gate.id, reason: reason.trim(), undoSeconds, ...approver })}
        />
      </Dialog>
    </li>
  )
}

const approvalsOf = (gate: GateView, decided: GateView | undefined): number =>
  Math.max(decided?.approvals?.length ?? 0, gate.approvals?.length ?? 0)

function Reject({
  gate,
  run,
  reason,
  onReason,
  pending,
  error,
  onClose,
  onReject,
}: {
  gate: GateView
  run: Run | undefined
  reason: string
  onReason: (text: string) => void
  pending: boolean
  error: unknown
  onClose: () => void
  onReject: () => void
}) {
  const field = useId()
  const empty = reason.trim() === ''
  return (
    <>
      <h2>Reject: {gateNames[gate.gate] ?? gate.gate}</h2>
      <p>{afterRejection(gate, run)}</p>
      <label htmlFor={field}>Reason, passed on to the agent that does the work again</label>
      <textarea
        id={field}
        autoFocus
        required
        rows={4}
        maxLength={10_000}
        value={reason}
        onChange={(event) => onReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !empty) onReject()
        }}
      />
      {error !== null && <ErrorLine error={error} />}
      <p className="buttons">
        <button type="button" onClick={onClose}>
          Keep the gate open
        </button>
        <button type="button" className="primary" disabled={pending || empty} onClick={onReject}>
          {pending ? 'Rejecting' : 'Reject with this reason'}
        </button>
      </p>
    </>
  )
}

/** Selects the approver where several people have to approve: the same person does not count twice. */
function ApproverSelect({
  value,
  onChange,
  gate,
}: {
  value: string
  onChange: (slug: string) => void
  gate: GateView
}) {
  const field = useId()
  const personas = useQuery(personasQuery()).data ?? []
  const people = personas.filter(({ type, status }) => type === 'person' && status === 'active')
  const approved = new Set(gate.approvals?.map(({ by }) => by) ?? [])
  return (
    <label className="check speaker" htmlFor={field}>
      as
      <select id={field} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">operator{approved.has('operator') ? ' (has approved)' : ''}</option>
        {people
          .filter(({ personaId }) => personaId !== operatorPersona)
          .map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
              {approved.has(slug) ? ' (has approved)' : ''}
            </option>
          ))}
      </select>
    </label>
  )
}

/** The operator is a persona too, but approves without a name. */
const operatorPersona = 1

function TimeLeft({ since, minutes }: { since: string; minutes: number }) {
  const left = Date.parse(since) + minutes * 60_000 - useSecond()
  return (
    <span className="tone-waiting">
      {left > 0 ? `the run pauses in ${coarseDuration(left)}` : 'the run is about to pause'} unless you decide
    </span>
  )
}

/** Returns the label of the approve button, which names the effect. */
function approveLabel(gate: GateView, run: Run | undefined): string {
  switch (gate.gate) {
    case 'plan':
      return run === undefined || run.configuration.planner || run.briefsTotal === 0
        ? 'Approve and start the plan'
        : `Approve and start ${counted(run.briefsTotal, 'brief')}`
    case 'acceptance':
      return 'Approve and finish the run'
    case 'merge':
      return run === undefined || run.repository === null
        ? 'Approve and merge'
        : `Approve and merge into ${run.repository.branch}`
    case 'escalation':
      return 'Approve another attempt'
    case 'manual':
      return 'Resume the run'
    case 't1_plan':
      return 'Approve and start the plan'
    case 't2_lead':
      return 'Approve and start the specialists'
    case 't2_synthesis':
      return 'Approve and start the squads'
    case 't3_plan':
      return 'Approve and start the tasks'
    case 't5_verdict':
      return 'Approve the verdict'
    default:
      return 'Approve'
  }
}

function afterRejection(gate: GateView, run: Run | undefined): string {
  if (gate.boundary.startsWith('brief:')) return 'The brief fails, and the run fails when its agents have ended.'
  const tiers = afterTierRejection[gate.gate]
  if (tiers !== undefined) return tiers
  if (gate.gate === 'merge') return 'Nothing is merged. The last briefs of the run are done again, with your reason.'
  if (gate.gate === 'acceptance') return 'The last briefs of the run are done again, with your reason.'
  if (gate.gate === 'plan')
    return run?.configuration.planner === true
      ? 'The planner writes another plan, with your reason.'
      : 'The run is cancelled: you wrote its plan, and no planner can write another.'
  return 'The result is sent back, with your reason.'
}

const afterTierRejection: Readonly<Record<string, string>> = {
  t1_plan: 'T1 writes another plan and criticises it again, with your reason.',
  t2_lead: 'The lead defines the boundaries again, with your reason.',
  t2_synthesis: 'The architecture is synthesised again, with your reason.',
  t3_plan: 'The squad leads divide the tasks again, with your reason.',
  t5_verdict: 'All tasks of the squad are done again, with your reason.',
}
