import { endStatuses } from '../../../src/work/briefs/states.ts'
import type { History, Row, SeenEvent, Step } from '../history.ts'
import type { World } from '../world.ts'

/** Returns the steps that moved a brief into this status. */
export const stepsInto = (event: SeenEvent, status: string): Step[] =>
  event.steps.filter(
    ({ table, before, after }) =>
      table === 'briefs' && after !== null && after['status'] === status && before?.['status'] !== status,
  )

export const nameOf = (row: Row): string => `${row['key'] ?? ''} (${row['id']})`

export const isAtWork = (brief: Row): boolean =>
  ['assigned', 'working', 'completion_drive_review'].includes(brief['status'] as string)

export const hasEndedBrief = (brief: Row): boolean => (endStatuses as readonly unknown[]).includes(brief['status'])

export const attemptsOf = (history: History, brief: Row): Row[] =>
  history.of('attempts', brief['run_id'] as string).filter((attempt) => attempt['brief_id'] === brief['id'])

/** Returns the stored reasons for which a brief waits: `budget:run`, `merge:`. */
export const holdsOf = (history: History, brief: Row): string[] =>
  history
    .of('brief_holds', brief['run_id'] as string)
    .filter((hold) => hold['brief_id'] === brief['id'])
    .map((hold) => `${hold['kind']}:${hold['subject']}`)

export const pendingGatesOf = (history: History, runId: string): Row[] =>
  history.of('gates', runId).filter((gate) => gate['status'] === 'pending')

export const openQuestionsOf = (history: History, runId: string): Row[] =>
  history.of('questions', runId).filter((question) => question['answered_at'] === null)

/** Reports whether a gate halts the whole run: one for the operator that is not about a single brief. */
export const haltsRun = (gate: Row): boolean =>
  gate['approver'] === 'operator' && !String(gate['boundary']).startsWith('brief:')

export const isTiered = (run: Row): boolean => run['playbook'] === 'tiered'

/** Returns the gate that was created last. */
export const newestGate = (history: History, runId: string, is: (gate: Row) => boolean): Row | undefined =>
  history.of('gates', runId).filter(is).at(-1)

const configurations = new WeakMap<Row, Configuration>()
export interface Configuration {
  readonly planner: boolean
  readonly planGate: boolean
  readonly acceptance: 'auto' | 'operator'
  readonly onLimit: 'ask' | 'fail'
  readonly approvalsNeeded: number
}

export function configurationOf(run: Row): Configuration {
  let known = configurations.get(run)
  if (known === undefined)
    configurations.set(run, (known = JSON.parse(run['configuration'] as string) as Configuration))
  return known
}

export const openRuns = ({ history }: World): Row[] =>
  [...history.rows('runs').values()].filter((run) => run['ended_at'] === null)
