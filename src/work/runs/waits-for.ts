import type { ReadTx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import { countAtWork, countUnderWay, listLiveAttemptsOfRun } from '../attempts/store.ts'
import type { WaitReason } from '../briefs/contract.ts'
import { externalHolds } from '../briefs/external-holds.ts'
import { findReadyBrief, listHoldsOfRun } from '../briefs/store.ts'
import { operator } from '../gates/contract.ts'
import { listPendingOfRun } from '../gates/store.ts'
import { noteName } from '../notes/contract.ts'
import { listHandedNotes } from '../notes/store.ts'
import { proofHold } from '../proofs/start.ts'
import { landingHold } from '../pull-requests/moves.ts'
import type { Question } from '../questions/contract.ts'
import { listSharedQuestions, listWaitingOfRun } from '../questions/store.ts'
import { listStops } from '../stops/store.ts'
import type { Run } from './contract.ts'
import { listRunsIn } from './store.ts'

/** Facts that the store does not have. */
export interface Surroundings {
  readonly at: string
  readonly slots: number
  /** Reports whether the run is left out for a while, because its briefs could not be claimed. */
  readonly isLeftOut: (runId: string) => boolean
}

/**
 * Returns the reason why nothing of an open run is at work, in one line with the next command where there is one; null
 * if something is. Decisions of people come first: while one is open, the rest does not matter to them.
 */
export async function waitsFor(tx: ReadTx, run: Run, around: Surroundings): Promise<string | null> {
  if (run.endedAt !== null || run.status === 'planning') return null
  const stop = await stopBeforeChecks(tx, run)
  if (stop === null && (await countUnderWay(tx, run.id)) > 0) return null
  const decision = await decisionOf(tx, run)
  if (decision !== null) return decision
  if (stop !== null) return reasonLine(stop)
  if (run.heldBy === proofHold) return 'the check of all evidence on its merged result'
  if (run.heldBy === landingHold) return 'git: its result is being merged'
  if (around.isLeftOut(run.id))
    return 'Agency: its briefs could not be claimed (the daemon’s log has the reason); it is tried again soon'
  const ready = await findReadyBrief(tx, run)
  if (ready !== undefined) {
    const beyond = (await externalHolds(tx, run, [ready], around.at))(ready)
    return beyond === null ? slotText(await countAtWork(tx), around.slots) : reasonLine(beyond)
  }
  const [note] = run.notesTotal > 0 ? await listHandedNotes(tx, run.id) : []
  if (note !== undefined)
    return `the authority above ${noteName(note)}, or you: agency note resolve ${note.id} <answer>`
  const [hold] = await listHoldsOfRun(tx, run.id)
  if (hold?.kind === 'workspace') return workspaceText(tx, run)
  return hold === undefined ? null : reasonLine(hold)
}

/** Returns the stop that finished work or its merged result waits for before it is checked; null if anything is at work. */
async function stopBeforeChecks(tx: ReadTx, run: Run): Promise<WaitReason | null> {
  const stop = (await listStops(tx)).find(
    ({ organisationId }) => organisationId === null || organisationId === run.organisationId,
  )
  if (stop === undefined) return null
  const live = (await listLiveAttemptsOfRun(tx, run.id)).filter(({ heldBy }) => heldBy === null)
  if (live.some(({ status }) => status !== 'reported')) return null
  if (live.length === 0 && run.heldBy !== proofHold) return null
  return { kind: 'stop', subject: stop.organisationId === null ? 'all' : `org:${stop.organisationId}` }
}

async function decisionOf(tx: ReadTx, run: Run): Promise<string | null> {
  const [question] = [
    ...(run.questionsOpen > 0 ? (await listWaitingOfRun(tx, run.id)).filter(isWithOperator) : []),
    ...(run.status === 'running' ? await listSharedQuestions(tx, run.id) : []),
  ]
  if (question !== undefined)
    return `your answer to "${shorten(question.text.split('\n')[0] as string, 80)}": agency answer ${question.id} <answer>`
  const pending = run.gatesPending > 0 ? await listPendingOfRun(tx, run.id) : []
  const gate = pending.find((each) => each.gate === 'manual') ?? pending[0]
  if (gate === undefined) return null
  if (gate.gate === 'manual') return `the end of its pause: agency resume ${run.id}`
  return gate.approver === operator
    ? `your approval of ${gate.gate}: agency approve ${gate.id}`
    : `the decision of ${gate.approver} about ${gate.gate}`
}

/** A question that a rung below the operator has waits for its agent, not for her. */
const isWithOperator = ({ status }: Pick<Question, 'status'>): boolean => status !== 'with_lead'

const slotText = (atWork: readonly { runId: string; count: number }[], slots: number): string => {
  const taken = atWork.reduce((sum, { count }) => sum + count, 0)
  const by = atWork.slice(0, 3).map(({ runId, count }) => `${runId} (${count})`)
  const more = atWork.length > by.length ? ` and ${atWork.length - by.length} more` : ''
  return `a slot: ${taken} of ${slots} are taken${taken === 0 ? '' : `, by ${by.join(', ')}${more}`}`
}

async function workspaceText(tx: ReadTx, run: Run): Promise<string> {
  const workspace = run.configuration.workspace ?? ''
  const first = (await listRunsIn(tx, run.missionId, workspace)).find(({ id }) => id !== run.id)
  return `the workspace ${workspace}, in which ${first?.id ?? 'another run'} works`
}

function reasonLine({ kind, subject }: WaitReason): string {
  switch (kind) {
    case 'stop':
      return `the end of a stop (${subject}): agency resume`
    case 'provider':
      return `the provider ${subject}`
    case 'budget':
      return `a used-up budget (${subject}): agency budget list`
    case 'budget_reserved':
      return `running agents, which have reserved the rest of a budget (${subject}): agency budget list`
    case 'merge':
      return 'git: finished work is being merged'
    case 'checks':
      return `the checks of ${subject}: agency questions`
    case 'seat':
      return `the agent that works for its seat (${subject})`
    case 'dependency_failed':
      return `the failed brief ${subject}`
    default:
      return kind
  }
}
