import { z } from 'zod'

import { operation } from '../operations/contract.ts'
import { eventEndpoints } from './endpoints.ts'

/**
 * All kinds of events, over all nouns and playbooks. An event of any other kind is refused.
 * A kind is added here together with the code that writes it.
 */
export const eventKindGroups = {
  organisation: ['installed', 'org_changed'],
  'runs and missions': ['run_created', 'run_status', 'run_dismissed', 'mission_created', 'mission_status'],
  briefs: [
    'brief_created',
    'tasks_committed',
    'tasks_reopened',
    'all_committed',
    'gate_approved',
    'assigned',
    'declined',
    'spawned',
    'reported',
    'agent_ended',
    'examination_started',
    'examination_released',
    'turn_ended',
    'evidence_checked',
    'review_started',
    'brief_status',
    'ready_for_verification',
    'completed',
    'session_complete',
    'retried',
    'escalated',
    'unblocked',
    'failed',
    'brief_cancelled',
  ],
  /** Gates, questions, notes and verdicts. */
  decisions: [
    'gate_pending',
    'gate_rejected',
    'gate_paused',
    'gate_resumed',
    'question_asked',
    'question_routed',
    'question_acknowledged',
    'question_answered',
    'question_withdrawn',
    'loop_detected',
    'decision_made',
    'decision_undone',
    'decision_applied',
    'decision_refused',
    'note_created',
    'note_resolved',
    'note_escalated',
    'verdict',
  ],
  /** Includes the events that hold launches. */
  'money and launches': [
    'spent',
    'budget_set',
    'budget_changed',
    'budget_warning',
    'stop_set',
    'stop_cleared',
    'provider_held',
    'provider_released',
  ],
  notifications: ['notify_requested', 'notify_sent', 'notify_failed'],
  repositories: [
    'branch_collected',
    'branch_merged',
    'merge_conflict',
    'proof_started',
    'proof_ended',
    'repeat_started',
    'repeat_ended',
    'pr_opened',
    'pr_updated',
    'pr_closed',
    'merged',
    'checks_set',
  ],
  'trusted files': ['file_trusted', 'file_revoked'],
  workspaces: ['workspace_created', 'workspace_removed', 'exec_started', 'exec_finished', 'step_applied'],
  'parts and amendments': ['path_amendment', 'plan_amended', 'amendment_ack', 'mesh_timeout', 'joint_verdict'],
  'artifacts and logs': ['artifact_written', 'log'],
} as const
export const eventKinds = Object.values(eventKindGroups).flat()
export const EventKind = z.enum(eventKinds)
export type EventKind = z.infer<typeof EventKind>

export const EventLevel = z.enum(['normal', 'verbose'])
export type EventLevel = z.infer<typeof EventLevel>

export const Event = z.object({
  position: z.number().int().describe('Position in the global feed; ascending, may have gaps'),
  stream: z.string(),
  seq: z.number().int().describe('Position in its stream; ascending by one without a gap'),
  at: z.string(),
  kind: EventKind,
  by: z.string().describe('operator, engine, daemon or agent:<id>'),
  runId: z.string().nullable(),
  briefId: z.string().nullable(),
  attemptId: z.string().nullable(),
  tier: z.string().nullable(),
  workstream: z.string().nullable(),
  level: EventLevel,
  code: z.string().nullable().describe('Short capital code of the live log, such as DONE'),
  message: z.string(),
  data: z.record(z.string(), z.unknown()),
})
export type Event = z.infer<typeof Event>

const kindFilter = z
  .string()
  .transform((text) => text.split(',').filter((kind) => kind !== ''))
  .pipe(z.array(EventKind))
  .optional()
  .describe('Comma-separated kinds')

export const EventFilter = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Only events after this position; same meaning as Last-Event-ID'),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
  kind: kindFilter,
  level: EventLevel.optional().describe('"normal" leaves out verbose events'),
})
export type EventFilter = z.infer<typeof EventFilter>

export const LogLine = z.strictObject({
  kind: z.literal('log', { error: 'only events of kind "log" can be posted' }),
  message: z.string().trim().min(1).max(2_000),
  level: EventLevel.default('normal'),
})
export type LogLine = z.infer<typeof LogLine>

export const eventOperations = {
  list: operation({
    name: 'event.list',
    summary: 'List all events, oldest first; a live stream if text/event-stream is accepted',
    ...eventEndpoints.list,
    input: EventFilter.extend({
      latest: z.stringbool().optional().describe('Start with the newest page instead of the oldest one'),
      before: z.coerce
        .number()
        .int()
        .min(1)
        .optional()
        .describe('The newest page before this position; for one page only, not for a stream'),
      text: z
        .string()
        .max(200)
        .optional()
        .describe('Only events with this text in their message, code or kind; upper and lower case are alike'),
    }),
    output: z.object({ events: z.array(Event) }),
    allow: ['operator'],
    streams: true,
  }),
  ofRun: operation({
    name: 'run.events',
    summary: 'List the events of one run by sequence; a live stream with resume if text/event-stream is accepted',
    ...eventEndpoints.ofRun,
    input: EventFilter.extend({
      runId: z.string(),
      latest: z
        .stringbool()
        .optional()
        .describe('Start with the last `limit` events of the run; kind and level then leave out some of them'),
    }),
    output: z.object({ events: z.array(Event) }),
    allow: ['operator', 'agent'],
    streams: true,
  }),
  log: operation({
    name: 'event.log',
    summary: 'Write one line to the log of your run',
    ...eventEndpoints.log,
    input: LogLine,
    output: z.object({ seq: z.number().int() }),
    allow: ['agent'],
    tool: 'log',
  }),
}
