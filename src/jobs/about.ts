import type { Json } from '../kernel/json.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'

type Described = Readonly<{ kind: string; payload: Json; lane: string | null }>

/**
 * The kinds of jobs that this version handles, each with its words for people. The list is kept apart from the handlers,
 * so that a store can be examined without them.
 */
const descriptions: Readonly<Record<string, (object: string, job: Described) => string>> = {
  integrate: (runId) => `merge of finished work of ${runId}`,
  land: (runId, { lane }) => `landing of ${runId} into ${lane?.replace(/^repository:/, '') ?? 'its repository'}`,
  prove: (runId) => `proof of the result of ${runId}`,
  repeat: (runId) => `repeated check of all evidence of ${runId}`,
  clean_run: (runId) => `removal of the clones of ${runId}`,
  run_ended: (runId) => `application of the output of ${runId}`,
  playbook_timer: (_, { payload }) => `timer "${field(payload, 'name')}" of ${field(payload, 'runId')}`,
  gate_timeout: (gateId) => `time limit of ${gateId}`,
  gate_reminder: (gateId) => `reminder of ${gateId}`,
  decision_due: (decisionId) => `effect of ${decisionId}`,
  question_due: (questionId) => `reminder of ${questionId}`,
  release_checks: (repository) => `release of work that waited for the checks of ${repository}`,
  project: (name) => `file of ${name}`,
  notify: (notificationId) => `delivery of ${notificationId}`,
  demo_gates: (runId) => `approval of the gates of the demonstration ${runId}`,
  housekeeping: () => 'hourly removal of old answers and caches',
}

export const knownKinds: readonly string[] = Object.keys(descriptions)

/** Describes the action of a job in words. */
export function aboutJob(job: Described): string {
  const object = typeof job.payload === 'string' ? job.payload : JSON.stringify(job.payload)
  const words = descriptions[job.kind]?.(object, job) ?? `"${job.kind}", a kind that this version does not know`
  return shorten(redact(words), 300)
}

const field = (payload: Json, name: string): string =>
  String((payload as Readonly<Record<string, Json>> | null)?.[name] ?? '')
