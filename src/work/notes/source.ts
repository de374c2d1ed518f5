import { findOrganisation } from '../../org/organisations/store.ts'
import { findAgentRow } from '../agents/store.ts'
import { operator } from '../gates/contract.ts'
import type { Question } from '../questions/contract.ts'
import type { RunScope } from '../scope.ts'
import { ResolutionSource } from './contract.ts'

/**
 * Returns the source of an answer to the question of a note: the operator, the lead of the organisation, the role that
 * had the question, or else the owner, which is any other seat, tier or agent above the brief.
 */
export async function sourceOf(scope: RunScope, question: Question, by: string): Promise<ResolutionSource> {
  if (by === operator) return 'operator'
  const positionId = await positionOf(scope, question, by)
  const lead = (await findOrganisation(scope.tx, scope.run.organisationId))?.leadPositionId ?? null
  if (positionId !== null && positionId === lead) return 'lead'
  const role = ResolutionSource.safeParse(question.hops.findLast(({ skipped }) => skipped === undefined)?.to)
  return role.success && role.data !== 'operator' && role.data !== 'agent' ? role.data : 'owner'
}

/** Returns the seat of an agent that answers in its own name, or that of the brief to which the question went. */
async function positionOf({ tx }: RunScope, { currentPositionId }: Question, by: string): Promise<number | null> {
  const agentId = /^agent:(\d+)$/.exec(by)?.[1]
  return agentId === undefined ? currentPositionId : ((await findAgentRow(tx, Number(agentId)))?.positionId ?? null)
}
