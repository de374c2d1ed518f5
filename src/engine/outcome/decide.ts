import type { Decision, PlaybookEvent } from '../../playbooks/contract.ts'
import { acknowledge } from '../../work/amendments/moves.ts'
import { writeDocument } from '../../work/artifacts/write.ts'
import { countUnderWay } from '../../work/attempts/store.ts'
import { addBriefs } from '../../work/briefs/add.ts'
import { createBriefs } from '../../work/briefs/create.ts'
import { amendBrief, moveDrafts, reviseDraft } from '../../work/briefs/drafts.ts'
import { blockBrief, closeBrief, failBrief, passBrief } from '../../work/briefs/moves.ts'
import { createPlanner } from '../../work/briefs/planner.ts'
import { reworkBrief, sendBack } from '../../work/briefs/send-back.ts'
import { resolveBrief } from '../../work/briefs/unblock.ts'
import { needsPerson } from '../../work/evidence/store.ts'
import { isFinal, type NewGate, openGate, passGate } from '../../work/gates/open.ts'
import { listPendingOfRun } from '../../work/gates/store.ts'
import { resolveNotes } from '../../work/notes/hand-over.ts'
import { changeParts } from '../../work/parts/moves.ts'
import { log } from '../../work/runs/log.ts'
import { beginLanding, holdPartForMerge } from '../../work/pull-requests/moves.ts'
import { decideRepair, isAboutRepair } from '../../work/proofs/decide.ts'
import { proveResult } from '../../work/proofs/start.ts'
import { askForBrief } from '../../work/questions/ask-for-brief.ts'
import { askAboutFailures, pauseAndAsk } from '../../work/questions/ask.ts'
import { answerFromRung, raiseFromRung } from '../../work/questions/from-rung.ts'
import { releaseBrief } from '../../work/questions/release.ts'
import { decideSeat, isAboutSeat } from '../../work/questions/resolve.ts'
import { endRun } from '../../work/runs/end.ts'
import type { RunScope } from '../../work/scope.ts'
import { verifyBriefs } from '../../work/verdicts/moves.ts'
import { partBoundary, viewFor } from './view.ts'
import { supersede } from '../../work/briefs/cancel.ts'

/**
 * Asks the playbook and applies its decisions one by one, in the caller's transaction; stops when the run has ended.
 * Briefs that repair the merged result, or ask a seat of the organisation, are no playbook's.
 */
export async function applyDecisions(scope: RunScope, event: PlaybookEvent): Promise<void> {
  if (await isAboutRepair(scope, event)) return decideRepair(scope, event)
  if (isAboutSeat(event)) return decideSeat(scope, event)
  for (const decision of scope.playbook.decide(await viewFor(scope, event), event)) {
    if (scope.run.endedAt !== null) return
    await apply(scope, decision, event)
  }
}

async function apply(scope: RunScope, decision: Decision, event: PlaybookEvent): Promise<void> {
  switch (decision.kind) {
    case 'create_briefs':
      return createBriefs(scope, decision.briefs)
    case 'add_briefs':
      return addBriefs(scope, decision.briefs)
    case 'create_planner':
      return createPlanner(scope, decision.objective)
    case 'verify_briefs':
      return verifyBriefs(scope, decision.briefs, decision)
    case 'pass_brief':
      return passBrief(scope, decision.brief, decision.reason)
    case 'rework_brief':
      return reworkBrief(scope, decision.brief, decision.corrections, decision.counter)
    case 'send_back':
      return sendBack(scope, decision.brief, decision)
    case 'resolve_brief':
      return resolveBrief(scope, decision)
    case 'resolve_notes':
      return resolveNotes(scope, decision)
    case 'block_brief':
      return blockBrief(
        scope,
        decision.brief,
        decision.reason,
        decision.class,
        undefined,
        decision.corrections === undefined ? {} : { corrections: [...decision.corrections] },
      )
    case 'ask':
      return askForBrief(scope, decision.brief, decision.reason, decision.class, decision)
    case 'answer_question':
      return answerFromRung(scope, decision, event)
    case 'raise_question':
      return raiseFromRung(scope, decision, event)
    case 'release_brief':
      return releaseBrief(scope, decision)
    case 'ask_about_failures':
      return askAboutFailures(scope)
    case 'close_brief':
      return closeBrief(scope, decision.brief)
    case 'fail_brief':
      // A pending brief has not started, so that the run has failed; its agents at work may finish before it ends.
      if (decision.brief.status === 'pending' && (await countUnderWay(scope.tx, scope.run.id)) === 0)
        return endRun(scope, 'failed', decision.reason)
      return failBrief(scope, decision.brief, decision.reason)
    case 'cancel_briefs':
      return supersede(scope, decision.briefs, decision)
    case 'amend_brief':
      return decision.draft === undefined
        ? amendBrief(scope, decision.brief, decision)
        : reviseDraft(scope, decision.brief, decision.draft)
    case 'move_drafts':
      return moveDrafts(scope, decision)
    case 'log':
      return decision.parts === undefined || decision.parts.length === 0
        ? log(scope, decision.event)
        : changeParts(scope, decision.parts, decision.event)
    case 'write_document':
      await writeDocument(scope, decision.brief, decision.name, decision.content)
      return
    case 'open_gate':
      return halt(scope, decision)
    case 'pass_gate':
      return passGate(scope, decision.gate, decision.part, decision.by)
    case 'start_timer':
      return scope.later(scope.tx, {
        kind: 'playbook_timer',
        runId: scope.run.id,
        name: decision.name,
        part: decision.part,
        delayMs: decision.minutes * 60_000,
      })
    case 'merge_part':
      return mergePart(scope, decision.part)
    case 'pause_and_ask':
      return pauseAndAsk(scope, decision.text, decision.context)
    case 'acknowledge':
      return acknowledge(scope, decision.amendment, decision.by)
    case 'land':
      return beginLanding(scope)
    case 'end_run':
      return (await waitsForPerson(scope, decision, event))
        ? openAcceptance(scope, decision.summary)
        : endRun(scope, decision.status, decision.summary)
  }
}

/**
 * Reports whether only a person may accept the result that a playbook wants to end with. A single step of a mission
 * claims no evidence: its result is what the operator reads.
 */
async function waitsForPerson(
  { tx, run }: RunScope,
  { status }: Extract<Decision, { kind: 'end_run' }>,
  event: PlaybookEvent,
): Promise<boolean> {
  if (status !== 'done' || run.configuration.purpose !== undefined) return false
  const isAccepted = event.kind === 'gate_approved' && isFinal(event.gate.gate)
  return !isAccepted && (await needsPerson(tx, run.id))
}

async function openAcceptance(scope: RunScope, result: string): Promise<void> {
  const { tx, run } = scope
  if ((await listPendingOfRun(tx, run.id)).some(({ gate }) => isFinal(gate))) return
  const { configuration } = run
  await openGate(scope, {
    gate: 'acceptance',
    summary: {
      produced: `${result}.`,
      next: 'Approve to end the run; reject with a reason to repeat the work.',
      anomalies: [],
    },
    timeoutMinutes: configuration.gateTimeoutMinutes ?? configuration.team?.gateTimeoutMinutes ?? null,
  })
}

async function halt(scope: RunScope, decision: Extract<Decision, { kind: 'open_gate' }>): Promise<void> {
  const { gate, summary, part, approver, message, timeoutMinutes } = decision
  const { configuration } = scope.run
  const wanted: NewGate = {
    gate,
    summary,
    timeoutMinutes:
      timeoutMinutes !== undefined
        ? timeoutMinutes
        : (configuration.gateTimeoutMinutes ?? configuration.team?.gateTimeoutMinutes ?? null),
    ...(part === undefined ? {} : { boundary: partBoundary(part) }),
    ...(approver === undefined ? {} : { approver }),
    ...(message === undefined ? {} : { message }),
  }
  if (gate === 'merge') await proveResult(scope, wanted)
  else await openGate(scope, wanted)
}

async function mergePart(scope: RunScope, part: string): Promise<void> {
  if (!(await holdPartForMerge(scope, part))) await scope.decide({ kind: 'part_merged', part })
}
