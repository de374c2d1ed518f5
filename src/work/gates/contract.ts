import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OfOrganisation } from '../../org/references.contract.ts'
import { Decisions, UndoSeconds } from '../decisions/contract.ts'
import { QuestionClass } from '../questions/contract.ts'
import { gateEndpoints } from './endpoints.ts'

export const gateStatuses = ['pending', 'approved', 'rejected', 'expired'] as const
export const GateStatus = z.enum(gateStatuses)
export type GateStatus = z.infer<typeof GateStatus>

/** The approver of a gate, unless a tier decides it. */
export const operator = 'operator'

const seatApprover = /^seat:([1-9]\d{0,15})$/

/** Returns the seat that decides a gate; null: the operator or a tier decides it. */
export function seatOfApprover(approver: string): number | null {
  const [, id] = seatApprover.exec(approver) ?? []
  return id === undefined ? null : Number(id)
}

/** Reports whether the operator may decide a gate: all but those that tiers decide among themselves. */
export const isForOperator = ({ approver }: { readonly approver: string }): boolean =>
  approver === operator || seatOfApprover(approver) !== null

/** The facts for the decision. */
export const GateSummary = z.object({
  produced: z.string(),
  next: z.string(),
  anomalies: z.array(z.string()),
  amendments: z.array(z.string()).optional(),
  class: QuestionClass.optional().describe('Of an escalation: the class of the repeated question'),
  questionId: z.string().optional().describe('Of an escalation: the question, whose answer opens the gate'),
})
export type GateSummary = z.infer<typeof GateSummary>

export const Approval = z.object({ by: z.string(), note: z.string().nullable(), at: z.string() })
export type Approval = z.infer<typeof Approval>

/** A point where a run halts until its approver decides: the operator or a tier. */
export const Gate = z.object({
  id: z.string(),
  runId: z.string(),
  gate: z.string().describe('The kind of gate: plan, acceptance, manual, escalation …'),
  approver: z.string().describe('operator, seat:<id> for a seat of the organisation, or a reference to a tier'),
  boundary: z.string().describe('The scope that the gate holds: run, or brief:<id>'),
  summary: GateSummary,
  pendingSince: z.string(),
  timeoutMinutes: z.number().nullable(),
  status: GateStatus,
  note: z.string().nullable(),
  reason: z.string().nullable(),
  by: z.string().nullable(),
})
export type Gate = z.infer<typeof Gate>

/** The row, with the columns that the API omits unless several approvals are needed. */
export const GateRow = Gate.extend({
  approvalsNeeded: z.number().int(),
  approvals: z.array(Approval),
  rejections: z.number().int().describe('Number of earlier rejections of a gate of this name in this run'),
  decidedAt: z.string().nullable(),
  pausedBy: z.string().nullable().describe('The pause during which it expired, or that its expiry caused'),
})
export type GateRow = z.infer<typeof GateRow>

export const GateView = Gate.extend({
  approvalsNeeded: z.number().int().optional().describe('Present if more than one approval is needed'),
  approvals: z.array(Approval).optional(),
  decidedAt: z.string().optional().describe('Present once the gate is decided'),
  decisions: Decisions,
})
export type GateView = z.infer<typeof GateView>

export const DecidedGate = GateView.extend({ confirmation: z.string().describe('The next step, in a sentence') })
export type DecidedGate = z.infer<typeof DecidedGate>

const target = z.string().min(1).max(64).describe('A run (id or prefix) or a gate id')
const kind = z.string().max(64).optional().describe('The gate, if the run has several: plan, acceptance, merge …')
const as = z.string().max(200).optional().describe('The deciding person, if several must approve')

export const gateOperations = {
  list: operation({
    name: 'gate.list',
    summary: 'List pending gates of all runs, oldest first',
    ...gateEndpoints.list,
    input: z.strictObject({
      status: GateStatus.default('pending'),
      organisationId: OfOrganisation,
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    output: z.object({ gates: z.array(GateView), total: z.number().int() }),
    allow: ['operator'],
  }),
  ofRun: operation({
    name: 'run.gates',
    summary: 'List the gates of a run, oldest first',
    ...gateEndpoints.ofRun,
    input: z.strictObject({ runId: z.string() }),
    output: z.object({ gates: z.array(GateView) }),
    allow: ['operator'],
  }),
  approve: operation({
    name: 'gate.approve',
    summary: 'Approve a gate, so that its run continues; an agent approves those that name its seat',
    ...gateEndpoints.approve,
    input: z.strictObject({
      target,
      gate: kind,
      note: z.string().trim().max(10_000).optional(),
      as,
      undoSeconds: UndoSeconds,
    }),
    output: DecidedGate,
    allow: ['operator', 'agent'],
    tool: 'gate_approve',
  }),
  reject: operation({
    name: 'gate.reject',
    summary: 'Reject a gate: the work is sent back with the reason; an agent rejects those that name its seat',
    ...gateEndpoints.reject,
    input: z.strictObject({
      target,
      gate: kind,
      reason: z.string().trim().min(1).max(10_000),
      as,
      undoSeconds: UndoSeconds,
    }),
    output: DecidedGate,
    allow: ['operator', 'agent'],
    tool: 'gate_reject',
  }),
  pause: operation({
    name: 'run.pause',
    summary: 'Pause a run: nothing new starts, running agents finish',
    ...gateEndpoints.pause,
    input: z.strictObject({ runId: z.string(), reason: z.string().trim().max(2_000).optional() }),
    output: GateView,
    allow: ['operator'],
  }),
  resume: operation({
    name: 'run.resume',
    summary: 'Resume a paused run',
    ...gateEndpoints.resume,
    input: z.strictObject({ runId: z.string() }),
    output: z.object({ runId: z.string(), status: z.string(), heldBy: z.string().nullable() }),
    allow: ['operator'],
  }),
  reply: operation({
    name: 'notify.inbound',
    summary: 'Act on a reply in plain words: "approve", "reject: <reason>", or an answer to a question',
    ...gateEndpoints.reply,
    input: z.strictObject({ text: z.string().trim().min(1).max(10_000), from: z.string().max(200).optional() }),
    output: z.object({ text: z.string().describe('The answer to the person who replied'), done: z.boolean() }),
    allow: ['operator'],
  }),
}
