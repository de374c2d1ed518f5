import { shorten } from '../../kernel/text.ts'
import type { PlaybookEvent } from '../../playbooks/contract.ts'
import { countUnderWay } from '../attempts/store.ts'
import type { Brief, Correction } from '../briefs/contract.ts'
import { blockBrief, failBrief, passBrief } from '../briefs/moves.ts'
import { reworkBrief } from '../briefs/send-back.ts'
import { findBrief, listFailedBriefs, listOpenBriefs } from '../briefs/store.ts'
import { askForBrief } from '../questions/ask-for-brief.ts'
import { askAboutFailures } from '../questions/ask.ts'
import { endRun } from '../runs/end.ts'
import type { RunScope } from '../scope.ts'
import type { Judgement } from '../verdicts/contract.ts'
import { commissionVerifier } from '../verdicts/moves.ts'
import { askAboutProof, gateOf } from './ask.ts'
import { isFollowedUp } from './follow-up.ts'
import { proveResult } from './start.ts'
import { findProof } from './store.ts'

/**
 * Reports whether an event concerns a brief that mends the merged result. No playbook knows such briefs: the engine
 * decides about them itself, in the same way for every playbook.
 */
export async function isAboutRepair({ tx, run }: RunScope, event: PlaybookEvent): Promise<boolean> {
  if (event.kind === 'siblings_ended') {
    const failed = await listFailedBriefs(tx, run.id)
    return failed.length > 0 && failed.every(({ repairs }) => repairs !== null)
  }
  if (!('brief' in event)) return false
  const { repairs, verifies } = event.brief
  if (repairs !== null || verifies === null) return repairs !== null
  return ((await findBrief(tx, verifies))?.repairs ?? null) !== null
}

/** Decides about a repair: its evidence decides, then a verifier where the run wants one, then the next proof. */
export async function decideRepair(scope: RunScope, event: PlaybookEvent): Promise<void> {
  switch (event.kind) {
    case 'brief_ready':
      return event.brief.verify === 'agent'
        ? commissionVerifier(scope, event.brief, event.seen)
        : passBrief(scope, event.brief, 'its evidence holds')
    case 'brief_judged':
      return followVerdict(scope, event.brief, event.judgement)
    case 'brief_unjudged':
      return blockBrief(scope, event.brief, event.reason, 'verification')
    case 'brief_verified':
      return proveUnlessOpen(scope)
    case 'brief_blocked':
      return scope.run.configuration.onLimit === 'fail'
        ? failBrief(scope, event.brief, event.reason)
        : askForBrief(scope, event.brief, event.reason, event.class)
    case 'brief_failed':
    case 'siblings_ended':
      return surfaceFailure(scope)
    case 'brief_cancelled':
      return followCancellation(scope, event.brief)
    default:
  }
}

async function followVerdict(scope: RunScope, brief: Brief, judgement: Judgement): Promise<void> {
  if (judgement.verdict === 'pass') return passBrief(scope, brief, 'a verifier passed it')
  const corrections = correctionsOf(judgement)
  if (brief.verificationFailures < brief.verificationLimit) return reworkBrief(scope, brief, corrections)
  const reason = `verdict ${judgement.verdict}: ${shorten(corrections[0]?.detail ?? '', 300)} (after ${brief.verificationFailures} of ${brief.verificationLimit} retries)`
  await blockBrief(scope, brief, reason, 'verification', undefined, { corrections })
}

const correctionsOf = ({ verdict, missingEvidence, issues, notes }: Judgement): Correction[] => {
  const corrections = [
    ...missingEvidence.map((detail) => ({ evidence: 'missing evidence', detail })),
    ...issues.map((detail) => ({ evidence: 'the verifier', detail })),
  ]
  return corrections.length > 0 ? corrections : [{ evidence: 'the verifier', detail: notes || `verdict ${verdict}` }]
}

async function proveUnlessOpen(scope: RunScope): Promise<void> {
  if (!(await isOtherWorkOpen(scope))) await proveResult(scope, await gateOf(scope))
}

/** Reports whether other work of the run has still to end: then the playbook asks for the gate. */
const isOtherWorkOpen = async ({ tx, run }: RunScope): Promise<boolean> =>
  (await listOpenBriefs(tx, run.id)).some(
    ({ kind, status }) => kind === 'work' && !['verified', 'draft', 'committed'].includes(status),
  )

/** Asks about failed repairs once no agent is at work any more. */
async function surfaceFailure(scope: RunScope): Promise<void> {
  const { tx, run } = scope
  if ((await countUnderWay(tx, run.id)) > 0) return
  if (run.abandoned || run.configuration.onLimit === 'fail')
    return endRun(scope, 'failed', 'the merged result could not be repaired')
  await askAboutFailures(scope)
}

/** Asks the operator about a result that stays unproven because its repair was cancelled. */
async function followCancellation(scope: RunScope, brief: Brief): Promise<void> {
  const proof = brief.repairs === null ? undefined : await findProof(scope.tx, brief.repairs)
  // The verifier of a repair has no proof of its own; the decision about its subject covers everything that waited for
  // it.
  if (proof === undefined || (await isFollowedUp(scope, proof))) return
  // The first part of the repair is merged already, only the rest of it was cancelled: that result is not proven yet.
  if (proof.head !== scope.run.head) return proveUnlessOpen(scope)
  await askAboutProof(scope, proof, `${brief.key} was cancelled, and the merged result does not hold`, 'merge')
}
