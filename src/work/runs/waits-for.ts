import type { ReadTx } from '../../db/port.ts'
import { oneLine, shorten } from '../../kernel/text.ts'
import { countAtWork, countUnderWay, listLiveAttemptsOfRun } from '../attempts/store.ts'
import type { WaitReason } from '../briefs/contract.ts'
import { externalHolds } from '../briefs/external-holds.ts'
import { findReadyBrief, listHoldsOfRun } from '../briefs/store.ts'
import { type GateRow, operator } from '../gates/contract.ts'
import { listPendingOfRun } from '../gates/store.ts'
import { noteName } from '../notes/contract.ts'
import { listHandedNotes } from '../notes/store.ts'
import { proofHold } from '../proofs/start.ts'
import { landingHold } from '../pull-requests/moves.ts'
import type { Question } from '../questions/contract.ts'
import { listSharedQuestions, listWaitingOfRun } from '../questions/store.ts'
import { listStops } from '../stops/store.ts'
import type { Run } from './contract.ts'
import { findRun, listRunsIn } from './store.ts'

/** Facts that the store does not have. */
export interface Surroundings {
  readonly at: string
  readonly slots: number
  /** Reports whether the run is left out for a while, because its briefs could not be claimed. */
  readonly isLeftOut: (runId: string) => boolean
}

/** The reason why nothing of an open run is at work. */
export interface Wait {
  /** `product`: Agency itself works on it, or is about to start an agent. */
  readonly on: 'operator' | 'pause' | 'stop' | 'product' | 'other'
  /** One line, with the next command where there is one. */
  readonly text: string
}

/** Everything that a person has to decide about a run. */
export interface Decisions {
  readonly questions: readonly Question[]
  readonly gates: readonly GateRow[]
}

/** Returns the open questions with the operator, and all pending gates. */
export async function openDecisions(tx: ReadTx, run: Run): Promise<Decisions> {
  return {
    questions: [
      ...(run.questionsOpen > 0 ? (await listWaitingOfRun(tx, run.id)).filter(isWithOperator) : []),
      ...(run.status === 'running' ? await listSharedQuestions(tx, run.id) : []),
    ],
    gates: run.gatesPending > 0 ? await listPendingOfRun(tx, run.id) : [],
  }
}

/**
 * Returns the reason why nothing of an open run is at work; null if something is. Decisions of people come first: while
 * one is open, the rest does not matter to them.
 */
export async function findWait(tx: ReadTx, run: Run, around: Surroundings, decisions: Decisions): Promise<Wait | null> {
  if (run.endedAt !== null || run.status === 'planning') return null
  const stop = await stopBeforeChecks(tx, run)
  if (stop === null && (await countUnderWay(tx, run.id)) > 0) return null
  const decision = firstDecision(run, decisions)
  if (decision !== null) return decision
  if (stop !== null) return reasonOf(stop)
  if (run.heldBy === proofHold) return { on: 'product', text: 'the check of all evidence on its merged result' }
  if (run.heldBy === landingHold) return { on: 'product', text: 'git: its result is being merged' }
  if (around.isLeftOut(run.id))
    return {
      on: 'other',
      text: 'Agency: its briefs could not be claimed (the daemon’s log has the reason); it is tried again soon',
    }
  const ready = await findReadyBrief(tx, run)
  if (ready !== undefined) {
    const beyond = (await externalHolds(tx, run, [ready], around.at))(ready)
    return beyond === null ? waitForAgent(tx, around.slots) : reasonOf(beyond)
  }
  const [note] = run.notesTotal > 0 ? await listHandedNotes(tx, run.id) : []
  if (note !== undefined)
    return {
      on: 'other',
      text: `the authority above ${noteName(note)}, or you: agency note resolve ${note.id} <answer>`,
    }
  const [hold] = await listHoldsOfRun(tx, run.id)
  if (hold?.kind === 'workspace') return { on: 'other', text: await workspaceText(tx, run) }
  return hold === undefined ? null : reasonOf(hold)
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

function firstDecision(run: Run, { questions: [question], gates }: Decisions): Wait | null {
  if (question !== undefined)
    return {
      on: 'operator',
      text: `your answer to "${shorten(question.text.split('\n')[0] as string, 80)}": agency answer ${question.id} <answer>`,
    }
  const gate = gates.find((each) => each.gate === 'manual') ?? gates[0]
  if (gate === undefined) return null
  if (gate.gate === 'manual') return { on: 'pause', text: `the end of its pause: agency resume ${run.id}` }
  return gate.approver === operator
    ? { on: 'operator', text: `your approval of ${gate.gate}: agency approve ${gate.id}` }
    : { on: 'other', text: `the decision of ${gate.approver} about ${gate.gate}` }
}

/** A question that a rung below the operator has waits for its agent, not for her. */
const isWithOperator = ({ status }: Pick<Question, 'status'>): boolean => status !== 'with_lead'

/** As many as a person reads in one line. */
const namedRuns = 3

/** With a free slot an agent is about to start; without one, the runs that have the slots are named by their goals. */
async function waitForAgent(tx: ReadTx, slots: number): Promise<Wait> {
  const atWork = await countAtWork(tx)
  const taken = atWork.reduce((sum, { count }) => sum + count, 0)
  if (taken < slots) return { on: 'product', text: `the start of an agent: ${taken} of ${slots} busy` }
  const named: string[] = []
  for (const { runId, count } of atWork.slice(0, namedRuns)) {
    const goal = (await findRun(tx, runId))?.goalAnchor ?? runId
    named.push(`${atWork.length === 1 ? '' : `${count} on `}${shorten(oneLine(goal), 40)}`)
  }
  const more = atWork.length > namedRuns ? `; ${atWork.length - namedRuns} more` : ''
  return { on: 'other', text: `a free agent: ${taken} of ${slots} busy (${named.join('; ')}${more})` }
}

async function workspaceText(tx: ReadTx, run: Run): Promise<string> {
  const workspace = run.configuration.workspace ?? ''
  const first = (await listRunsIn(tx, run.missionId, workspace)).find(({ id }) => id !== run.id)
  return `the workspace ${workspace}, in which ${first?.id ?? 'another run'} works`
}

function reasonOf(reason: WaitReason): Wait {
  const on = reason.kind === 'stop' ? 'stop' : reason.kind === 'merge' ? 'product' : 'other'
  return { on, text: reasonLine(reason) }
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
