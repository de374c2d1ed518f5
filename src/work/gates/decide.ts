import { settleProposal } from '../amendments/propose.ts'
import { amendmentGate } from '../amendments/record.contract.ts'
import { updated } from '../../events/change.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { type GateRow, operator } from './contract.ts'
import { findGate, gates, listPendingOfRun, listTimedOut } from './store.ts'
import { isStillAsked } from '../questions/still-asked.ts'
import { listQuestionsOfBrief } from '../questions/store.ts'
import { askQuestion, withdrawPauseQuestions, withdrawSet } from '../questions/ask.ts'
import { findPause, isFinal, keepPaused, openGate, releaseGate } from './open.ts'
import type { RunScope } from '../scope.ts'
import { abandonBrief, resets, unblockBrief } from '../briefs/unblock.ts'
import { touchRun } from '../runs/moves.ts'

/** After this number of rejections of a gate, the run is paused with a question. */
const rejectionLimit = 5

/** Adds an approval; the last required one opens the gate. A second decision finds the gate decided and is refused. */
export async function approveGate(scope: RunScope, gateId: string, by: string, note: string | null): Promise<GateRow> {
  const { tx } = scope
  const gate = await requirePending(scope, gateId)
  if (gate.gate === 'manual') return resumeGate(scope, gate, by)
  if (gate.approvals.some((approval) => approval.by === by))
    throw refusal('conflict', `${by} has already approved this gate`, {
      hint: `It needs ${gate.approvalsNeeded} approvals and has ${gate.approvals.length}.`,
    })
  if (isFinal(gate.gate) && scope.run.status === 'paused')
    throw refusal('conflict', `run ${gate.runId} is paused`, {
      hint: `Resume it first: agency resume ${gate.runId}`,
    })
  const approvals = [...gate.approvals, { by, note, at: tx.at }]
  if (approvals.length < gate.approvalsNeeded) {
    await touchRun(
      scope,
      {},
      {
        kind: 'log',
        level: 'normal',
        message: `✓ ${by} approves ${gate.gate} (${approvals.length} of ${gate.approvalsNeeded})`,
        data: { gate_id: gate.id },
      },
      [updated(gates, gate, { approvals })],
    )
    return { ...gate, approvals }
  }
  const decided = { status: 'approved' as const, note, by, approvals, decidedAt: tx.at }
  await releaseGate(scope, gate, decided, {
    kind: 'gate_approved',
    code: 'APPROVED',
    message: '✓ Approved — continuing',
    data: { note },
  })
  const held = await heldBrief(scope, gate)
  await withdrawHeld(scope, gate)
  if (gate.gate === amendmentGate) await settleProposal(scope, { ...gate, ...decided })
  else if (held === null) await scope.decide({ kind: 'gate_approved', gate: { ...gate, ...decided } })
  else await continueHeld(scope, held, await resetOf(scope, gate, held), by)
  await goOn(scope)
  return { ...gate, ...decided }
}

export async function rejectGate(scope: RunScope, gateId: string, by: string, reason: string): Promise<GateRow> {
  const gate = await requirePending(scope, gateId)
  if (gate.gate === 'manual')
    throw refusal('illegal_transition', 'a pause cannot be rejected', {
      hint: `Resume the run with "agency resume ${gate.runId}", or end it with "agency cancel ${gate.runId}".`,
    })
  const decided = { status: 'rejected' as const, reason, by, decidedAt: scope.tx.at }
  await releaseGate(scope, gate, decided, {
    kind: 'gate_rejected',
    code: 'REJECTED',
    message: `✗ Rejected: ${shorten(reason, 300)}`,
    data: { reason, by },
  })
  const rejected = { ...gate, ...decided }
  const held = await heldBrief(scope, gate)
  await withdrawHeld(scope, gate)
  if (held !== null) {
    await abandonBrief(scope, held, `rejected by ${by}: ${reason}`)
    return rejected
  }
  if (gate.gate === amendmentGate) await settleProposal(scope, rejected)
  else await scope.decide({ kind: 'gate_rejected', gate: rejected, reason })
  // The rejected work is ready to be done again, but repeated rejections need another decision first.
  if (gate.rejections + 1 >= rejectionLimit && scope.run.endedAt === null) await pauseAfterRejections(scope, rejected)
  await goOn(scope)
  return rejected
}

/** Continues work that was released while another gate was pending. */
async function goOn(scope: RunScope): Promise<void> {
  if (scope.run.status === 'running') await scope.decide({ kind: 'run_resumed' })
}

/** Withdraws the questions that a gate holds: the gate is decided without an answer to them. */
const withdrawHeld = async (scope: RunScope, { summary }: GateRow): Promise<void> => {
  if (summary?.questionId !== undefined) await withdrawSet(scope, summary.questionId)
}

/** Returns the brief that a gate holds; null if the gate concerns the whole run. */
async function heldBrief(scope: RunScope, { boundary }: GateRow) {
  if (!boundary.startsWith('brief:')) return null
  return (await findBrief(scope.tx, boundary.slice('brief:'.length))) ?? null
}

/** Continues a brief whose gate was approved, unless it waits for an answer that the gate does not hold: to a note. */
async function continueHeld(scope: RunScope, held: Brief, patch: Partial<Brief>, by: string): Promise<void> {
  if (held.status !== 'blocked' || !(await isStillAsked(scope, held)))
    return unblockBrief(scope, held, patch, `approved by ${by}`)
  const message = `${held.key} waits for more answers`
  await touchRun(scope, {}, { kind: 'log', message, briefId: held.id }, [updated(briefs, held, patch)])
}

/** Resets the counter that led to the gate. A gate of an earlier release does not name it: the last question does. */
async function resetOf(scope: RunScope, { summary }: GateRow, brief: Brief): Promise<Partial<Brief>> {
  const cause = summary?.class ?? (await listQuestionsOfBrief(scope.tx, brief.id)).at(-1)?.class ?? null
  return cause === null ? {} : (resets[cause] ?? {})
}

async function pauseAfterRejections(scope: RunScope, gate: GateRow): Promise<void> {
  await keepPaused(scope, `${gate.gate} was rejected ${gate.rejections + 1} times`)
  await askQuestion(scope, {
    brief: null,
    kind: 'workflow',
    class: 'gate',
    text: `"${gate.gate}" was rejected ${gate.rejections + 1} times. Should the run continue?`,
    context: gate.reason ?? '',
    options: [
      { key: 'resume', label: 'Continue', detail: 'The work is done again with your last reason.' },
      { key: 'abandon', label: 'Give up', detail: 'The run fails.' },
    ],
    recommendation: null,
    risk: 'medium',
  })
}

/** Pauses the run, because a retry without a decision would repeat itself. */
export async function expireGate(scope: RunScope, gateId: string): Promise<void> {
  const gate = await findGate(scope.tx, gateId)
  if (gate === undefined || gate.status !== 'pending' || scope.run.endedAt !== null) return
  const pausedBy = (await findPause(scope))?.id ?? scope.ids.next('gate')
  const decided = { status: 'expired' as const, reason: 'timeout', by: 'system', decidedAt: scope.tx.at, pausedBy }
  await releaseGate(scope, gate, decided, {
    kind: 'gate_rejected',
    code: 'REJECTED',
    message: `✗ ${gate.gate} was not decided within ${gate.timeoutMinutes} minutes`,
    data: { reason: 'timeout', by: 'system' },
  })
  await keepPaused(scope, `${gate.gate} was not decided in time`, pausedBy)
}

export async function remindOfGate(scope: RunScope, gateId: string): Promise<void> {
  const gate = await findGate(scope.tx, gateId)
  if (gate === undefined || gate.status !== 'pending' || scope.run.endedAt !== null) return
  await scope.notify(scope.tx, {
    kind: 'gate_reminder',
    title: `Still waiting for you: ${gate.gate}`,
    summary: `${shorten(scope.run.goalAnchor, 200)} has been waiting since ${gate.pendingSince}.`,
    actions: [{ label: 'Approve', command: `agency approve ${gate.id}` }],
    runId: gate.runId,
    organisationId: scope.run.organisationId,
    object: gate.id,
    state: 'reminded',
  })
}

export async function resumeRun(scope: RunScope, by: string): Promise<void> {
  const pending = await listPendingOfRun(scope.tx, scope.run.id)
  const manual = pending.find((gate) => gate.gate === 'manual')
  if (scope.run.status !== 'paused' || manual === undefined)
    throw refusal('illegal_transition', `run ${scope.run.id} is ${scope.run.status}, not paused`, {
      hint: pending.some((gate) => gate.approver === operator)
        ? `It waits for a decision: "agency approve ${scope.run.id}".`
        : `"agency inspect ${scope.run.id}" shows the reason why it waits.`,
    })
  await resumeGate(scope, manual, by)
}

async function resumeGate(scope: RunScope, manual: GateRow, by: string): Promise<GateRow> {
  const decided = { status: 'approved' as const, by, decidedAt: scope.tx.at }
  await releaseGate(scope, manual, decided, {
    kind: 'gate_resumed',
    code: 'RESUMED',
    message: '▶ Resumed',
    data: {},
  })
  await withdrawPauseQuestions(scope)
  // Gates that expired during this pause, or caused it, are opened again.
  for (const expired of await listTimedOut(scope.tx, scope.run.id, manual)) {
    const { gate, summary, boundary, timeoutMinutes } = expired
    // The playbook opens a final gate again, because the result may have been cancelled meanwhile.
    if (isFinal(gate)) continue
    await openGate(scope, { gate, summary, boundary, timeoutMinutes })
  }
  if (scope.run.status === 'running') await scope.decide({ kind: 'run_resumed' })
  return { ...manual, ...decided }
}

async function requirePending(scope: RunScope, gateId: string): Promise<GateRow> {
  const gate = await findGate(scope.tx, gateId)
  if (gate === undefined || gate.runId !== scope.run.id) throw bug(`gate ${gateId} vanished`)
  if (gate.status === 'pending') return gate
  throw refusal('illegal_transition', `gate ${gate.id} (${gate.gate}) is ${gate.status} already, by ${gate.by}`, {
    data: { gate_id: gate.id, status: gate.status, by: gate.by },
  })
}
