import type { ReadTx } from '../db/port.ts'
import { type Actor, actorName, type AgentActor } from '../kernel/actor.ts'
import { bug, notFound, refusal } from '../kernel/errors.ts'
import { systemPersona } from '../kernel/ids.ts'
import { findAgentRow } from './agents/store.ts'
import { checkFence } from './attempts/store.ts'
import type { Brief } from './briefs/contract.ts'
import { findBrief, listBriefsDoneBy } from './briefs/store.ts'
import { type GateRow, seatOfApprover } from './gates/contract.ts'
import type { Question } from './questions/contract.ts'
import { holderOf } from './questions/holder.ts'
import { asksSeat } from './questions/resolution.contract.ts'
import { doesClimb } from './questions/rungs.ts'
import { findRun } from './runs/store.ts'

export type Target =
  { readonly kind: 'question'; readonly question: Question } | { readonly kind: 'gate'; readonly gate: GateRow }

/** The facts of a target that give or refuse the right to decide it. */
interface Facts {
  readonly id: string
  readonly noun: Target['kind']
  readonly runId: string | null
  readonly organisationId: number | null
  /** The seat that the target names. */
  readonly seat: number | null
  /** The reason why only the operator decides it, even if it names a seat. */
  readonly reserved: string | null
}

/**
 * Returns the name under which an actor decides a question or a gate, or refuses. The operator may decide all of them. An
 * agent decides for the seat of its brief, and only a target that names this seat: never one about work of its own, of
 * another organisation, or that needs money or rights of the operator.
 */
export async function mayDecide(tx: ReadTx, by: Actor, target: Target): Promise<string> {
  if (by.kind !== 'agent') return actorName(by)
  const facts = await factsOf(tx, target)
  const own = await findBrief(tx, by.briefId)
  const organisationId = (await findRun(tx, by.runId))?.organisationId
  if (own === undefined || organisationId === undefined) throw bug(`attempt ${by.attemptId} has no brief`)
  const seat = await seatOf(tx, by, own)
  const isNamed = facts.organisationId === organisationId && facts.seat !== null && facts.seat === seat
  // An agent must not learn whether another run has a question or a gate that does not name it.
  if (!isNamed && facts.runId !== by.runId) throw notFound(facts.noun, facts.id)
  await checkFence(tx, by)
  if (await isOwnWork(tx, target, by, own)) throw refused(facts, 'is about work of its own')
  if (!isNamed || facts.seat === null) throw refused(facts, 'does not name the seat of its brief')
  if (facts.reserved !== null) throw refused(facts, facts.reserved)
  const holder = await holderOf(tx, facts.seat, organisationId)
  if (!('persona' in holder) || holder.persona.id !== own.personaId)
    throw refused(facts, 'names a seat that its persona has left')
  return holder.persona.slug
}

async function factsOf(tx: ReadTx, target: Target): Promise<Facts> {
  if (target.kind === 'question') {
    const { id, runId, organisationId, currentPositionId, class: cause } = target.question
    const isOperators = !doesClimb(target.question)
    return {
      id,
      noun: 'question',
      runId,
      organisationId: runId === null ? organisationId : ((await findRun(tx, runId))?.organisationId ?? null),
      seat: currentPositionId,
      reserved: isOperators ? `of the class "${cause ?? 'none'}" is only the operator’s to answer` : null,
    }
  }
  const { id, runId, gate, approver } = target.gate
  return {
    id,
    noun: 'gate',
    runId,
    organisationId: (await findRun(tx, runId))?.organisationId ?? null,
    seat: seatOfApprover(approver),
    reserved: operatorsGates.has(gate) ? `of the kind "${gate}" is only the operator’s to decide` : null,
  }
}

/** Gates that stop a run, change a repository, or follow a limit, which agents cannot lift for each other. */
const operatorsGates: ReadonlySet<string> = new Set(['manual', 'merge', 'acceptance', 'escalation'])

/** Returns the seat that an agent acts for: that of its brief, if its persona held the seat when it was started. */
async function seatOf(tx: ReadTx, { agentId }: AgentActor, { positionId }: Brief): Promise<number | null> {
  const agent = await findAgentRow(tx, agentId)
  return positionId !== null && agent?.positionId === positionId ? positionId : null
}

async function isOwnWork(tx: ReadTx, target: Target, by: AgentActor, own: Brief): Promise<boolean> {
  if (target.kind === 'question') return isOwnBrief(tx, target.question.briefId, own)
  const { boundary, runId } = target.gate
  if (boundary.startsWith('brief:')) return isOwnBrief(tx, boundary.slice('brief:'.length), own)
  // The gate of a run or of a part judges the work of several briefs, which it does not name.
  return (await listBriefsDoneBy(tx, runId, own)).some((brief) => !asksSeat(brief))
}

/** The same persona or seat would decide about its own work, also from another of its briefs. */
async function isOwnBrief(tx: ReadTx, briefId: string | null, own: Brief): Promise<boolean> {
  const brief = briefId === null ? undefined : await findBrief(tx, briefId)
  if (brief === undefined) return false
  const isSameSeat = own.positionId !== null && brief.positionId === own.positionId
  // Agents without a persona of their own share one, which decides nothing.
  const isSamePersona = own.personaId !== systemPersona && brief.personaId === own.personaId
  return brief.id === own.id || isSamePersona || isSameSeat
}

const refused = ({ noun, id }: Facts, reason: string): Error =>
  refusal('forbidden', `an agent cannot ${noun === 'question' ? 'answer' : 'decide'} ${noun} ${id}: it ${reason}`, {
    hint: 'If your own brief cannot go on without it, ask: agency report --status blocked --summary "…"',
  })
