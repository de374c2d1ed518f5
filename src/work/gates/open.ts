import { inserted, updated } from '../../events/change.ts'
import { bug, refusal } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import { workChanges } from '../briefs/changes.ts'
import { resultWarnings } from '../evidence/warnings.ts'
import { type GateRow, type GateSummary, operator, seatOfApprover } from './contract.ts'
import { holderOf } from '../questions/holder.ts'
import { countRejections, gates, listPendingOfRun } from './store.ts'
import type { RunStatus } from '../runs/contract.ts'
import type { RunScope } from '../scope.ts'
import { moveRun, moveRunsMission, touchRun } from '../runs/moves.ts'

export interface NewGate {
  gate: string
  summary: GateSummary
  /** `run` by default. `brief:<id>` holds only this brief; `part:<key>` halts the run and names the part. */
  boundary?: string
  /** The operator by default. A gate for a tier or for a seat (`seat:<id>`) halts nothing and sends no notification. */
  approver?: string
  /** The message in the live log. */
  message?: string
  /** None by default, and never for a pause or an escalation. */
  timeoutMinutes?: number | null
  /** A new one by default. */
  id?: string
}

const reminderMs = 3_600_000

/** Halts the run at a boundary until an authorised approver decides. */
export async function openGate(scope: RunScope, wanted: NewGate): Promise<GateRow> {
  const { tx, run } = scope
  const boundary = wanted.boundary ?? 'run'
  const approver = await approverOf(scope, wanted)
  const gate: GateRow = {
    id: wanted.id ?? scope.ids.next('gate'),
    runId: run.id,
    gate: wanted.gate,
    approver,
    boundary,
    summary: isFinal(wanted.gate) ? await withWarnings(scope, wanted.summary) : wanted.summary,
    pendingSince: tx.at,
    timeoutMinutes: wanted.timeoutMinutes ?? null,
    status: 'pending',
    note: null,
    reason: null,
    by: null,
    // Only people approve together: a seat decides alone.
    approvalsNeeded: wanted.gate === 'manual' || isOfSeat(approver) ? 1 : run.configuration.approvalsNeeded,
    approvals: [],
    rejections: await countRejections(tx, run.id, wanted.gate, boundary),
    decidedAt: null,
    pausedBy: null,
  }
  // Agents that finish in a paused run may open a gate; the run stays paused until it is resumed.
  const status = run.status === 'paused' ? null : haltedStatus(gate)
  const message = wanted.message ?? gateMessage(gate)
  const patch = { gatesPending: run.gatesPending + 1, ...(status === null ? {} : { heldBy: `gate:${gate.id}` }) }
  const event = {
    kind: wanted.gate === 'manual' ? ('gate_paused' as const) : ('gate_pending' as const),
    code: codeOf(scope, wanted.gate),
    tier: 'GATE',
    level: 'normal' as const,
    message,
    data: { gate_id: gate.id, gate: gate.gate, boundary, approver: gate.approver },
  }
  const opened = [inserted(gates, gate)]
  if (status === null || status === run.status) await touchRun(scope, patch, event, opened)
  else await moveRun(scope, status, { ...event, patch, also: opened })
  await scope.later(tx, { kind: 'project', name: 'pending_gates' })
  if (isFinal(wanted.gate)) await moveRunsMission(scope, ['review'])
  if (wanted.gate === 'manual' || gate.approver !== operator) return gate
  await scope.notify(tx, {
    kind: 'gate_pending',
    title: `${shorten(run.goalAnchor, 80)} waits for you: ${gate.gate}`,
    summary: [gate.summary.produced, gate.summary.next, ...gate.summary.anomalies].filter(Boolean).join('\n'),
    actions: [
      ...(gate.summary.questionId === undefined
        ? []
        : [{ label: 'Answer', command: `agency answer ${gate.summary.questionId} "…"` }]),
      { label: 'Approve', command: `agency approve ${gate.id}` },
      { label: 'Reject', command: `agency reject ${gate.id} --reason "…"` },
    ],
    runId: run.id,
    organisationId: run.organisationId,
    object: gate.id,
    state: 'pending',
  })
  await scope.later(tx, { kind: 'gate_reminder', gateId: gate.id, delayMs: reminderMs })
  if (gate.timeoutMinutes !== null)
    await scope.later(tx, { kind: 'gate_timeout', gateId: gate.id, delayMs: gate.timeoutMinutes * 60_000 })
  return gate
}

const isOfSeat = (approver: string): boolean => seatOfApprover(approver) !== null

/** A gate that names a seat without an agent on it is the operator's. */
async function approverOf({ tx, run }: RunScope, { approver = operator }: NewGate): Promise<string> {
  const seat = seatOfApprover(approver)
  return seat === null || 'persona' in (await holderOf(tx, seat, run.organisationId)) ? approver : operator
}

/** Adds to the summary of a result why its evidence proves less than usual, odd changes, and work that was given up. */
async function withWarnings({ tx, run, playbook }: RunScope, summary: GateSummary): Promise<GateSummary> {
  const warnings = [...(await resultWarnings(tx, run)), ...(await workChanges(tx, playbook, run.id))]
  return warnings.length === 0 ? summary : { ...summary, anomalies: [...summary.anomalies, ...warnings] }
}

/** Returns the status of a run while the gate is pending; null if only one brief is held. */
function haltedStatus(row: Pick<GateRow, 'gate' | 'boundary' | 'approver'>): RunStatus | null {
  if (!haltsRun(row)) return null
  const { gate } = row
  if (gate === 'manual') return 'paused'
  return isFinal(gate) ? 'accepting' : 'gated'
}

const haltsRun = ({ boundary, approver }: Pick<GateRow, 'boundary' | 'approver'>): boolean =>
  approver === operator && !boundary.startsWith('brief:')

/** Reports whether a gate concerns the final result. */
export const isFinal = (gate: string): boolean => gate === 'acceptance' || gate === 'merge'

const codeOf = ({ playbook }: RunScope, gate: string): string =>
  gate === 'manual'
    ? 'PAUSED'
    : playbook.approvalGates?.includes(gate) === true || isFinal(gate)
      ? 'APPROVAL'
      : 'INSPECTION'

function gateMessage({ gate, summary }: GateRow): string {
  if (gate === 'manual') return `⏸ Paused${summary.produced === '' ? '' : `: ${summary.produced}`}`
  if (gate === 'acceptance') return '⏸ Waiting on acceptance of the result'
  if (gate === 'merge') return '⏸ Waiting on approval of the merge'
  return `⏸ Waiting on approval: ${gate}`
}

/** Pauses a run: no new work starts, and running agents finish. */
export async function pauseRun(scope: RunScope, reason: string, id?: string): Promise<GateRow> {
  if (scope.run.status !== 'running' && scope.run.status !== 'gated' && scope.run.status !== 'paused')
    throw refusal('illegal_transition', `a run that is ${scope.run.status} cannot be paused`, {
      data: { from: scope.run.status, to: 'paused' },
    })
  if ((await findPause(scope)) !== undefined)
    throw refusal('illegal_transition', `run ${scope.run.id} is already paused`, {
      hint: `Resume it with "agency resume ${scope.run.id}".`,
    })
  return openGate(scope, {
    gate: 'manual',
    summary: { produced: reason, next: 'Running agents finish.', anomalies: [] },
    ...(id === undefined ? {} : { id }),
  })
}

export const findPause = async ({ tx, run }: RunScope): Promise<GateRow | undefined> =>
  (await listPendingOfRun(tx, run.id)).find((gate) => gate.gate === 'manual')

/** Pauses a run for the engine; a paused run stays paused. */
export async function keepPaused(scope: RunScope, reason: string, id?: string): Promise<void> {
  if ((await findPause(scope)) === undefined) await pauseRun(scope, reason, id)
}

export interface Deciding {
  kind: 'gate_approved' | 'gate_rejected' | 'gate_resumed'
  code: string
  message: string
  data: Record<string, unknown>
}

/** Records the decision about a gate and returns the run to its earlier status, or to the next pending gate. */
export async function releaseGate(
  scope: RunScope,
  gate: GateRow,
  decided: Partial<GateRow>,
  event: Deciding,
): Promise<void> {
  const { run } = scope
  const others = (await listPendingOfRun(scope.tx, run.id)).filter((other) => other.id !== gate.id && haltsRun(other))
  const next = others.find((other) => other.gate === 'manual') ?? others[0]
  // An accepted result is finished next; the run does not return to running.
  const accepted = isFinal(gate.gate) && event.kind === 'gate_approved'
  const open = accepted ? 'accepting' : 'running'
  const status = next === undefined ? open : haltedStatus(next)
  if (status === null) throw bug(`gate ${next?.id} halts nothing`)
  const halted = haltsRun(gate)
  const patch = {
    gatesPending: run.gatesPending - 1,
    ...(halted ? { heldBy: next === undefined ? null : `gate:${next.id}` } : {}),
  }
  const whole = {
    ...event,
    tier: 'GATE',
    level: 'normal' as const,
    data: { gate_id: gate.id, gate: gate.gate, ...event.data },
  }
  const changes = [updated(gates, gate, decided)]
  await scope.later(scope.tx, { kind: 'project', name: 'pending_gates' })
  if (!halted || status === run.status) return touchRun(scope, patch, whole, changes)
  await moveRun(scope, status, { ...whole, patch, also: changes })
  if (isFinal(gate.gate)) await moveRunsMission(scope, ['in_progress'])
}

/** Passes a gate that a tier decides. */
export async function passGate(scope: RunScope, name: string, part: string, by: string): Promise<void> {
  const pending = await listPendingOfRun(scope.tx, scope.run.id)
  const gate = pending.find(
    (each) => each.gate === name && each.boundary === `part:${part}` && each.approver !== operator,
  )
  if (gate === undefined) return
  await releaseGate(
    scope,
    gate,
    { status: 'approved', by, decidedAt: scope.tx.at },
    { kind: 'gate_approved', code: 'APPROVED', message: `✓ ${name} settled by ${by}`, data: { by } },
  )
}

/** Closes the gates of an ended run or brief. */
export async function closeGates(scope: RunScope, boundary?: string): Promise<void> {
  if (scope.run.gatesPending === 0) return
  await scope.later(scope.tx, { kind: 'project', name: 'pending_gates' })
  const why = boundary === undefined ? 'the run has ended' : 'the brief has ended'
  for (const gate of await listPendingOfRun(scope.tx, scope.run.id)) {
    if (boundary !== undefined && gate.boundary !== boundary) continue
    await touchRun(
      scope,
      { gatesPending: scope.run.gatesPending - 1, ...(boundary === undefined ? { heldBy: null } : {}) },
      {
        kind: 'gate_rejected',
        message: `${gate.gate} is closed: ${why}`,
        data: { gate_id: gate.id, gate: gate.gate, reason: why, by: scope.by },
      },
      [
        updated(gates, gate, {
          status: 'expired',
          reason: why,
          by: scope.by,
          decidedAt: scope.tx.at,
        }),
      ],
    )
  }
}
