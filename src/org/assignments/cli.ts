import { answer, type Form, url } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Wire } from '../../cli/wire.ts'
import type { PositionView } from '../positions/contract.ts'

export interface SeatingOptions extends Form {
  positionId: number
  personaSlug: string
}

export const assign = (context: CliContext, options: SeatingOptions & { reassign?: true }) =>
  answer(context, options, 'POST', url`/positions/${options.positionId}/assignment`, {
    persona: options.personaSlug,
    reassign: options.reassign,
  })

export async function unassign(
  context: CliContext,
  { positionId, preview, json }: Form & { positionId: number; preview?: true },
): Promise<number> {
  if (!preview) return answer(context, { json }, 'DELETE', url`/positions/${positionId}/assignment`)
  const { position } = await context.api().get<{ position: Wire<PositionView> }>(url`/positions/${positionId}`)
  const holder = position.assignment?.persona_slug
  context.out(holder === undefined ? 'no changes' : `update position_id ${positionId} assignment: ${holder} → null`)
  return 0
}

export interface AssignmentsOptions extends Form {
  org: string
  includeHistory?: true
  personaSlug?: string
}

export const listAssignments = (context: CliContext, options: AssignmentsOptions) =>
  answer(context, options, 'GET', url`/orgs/${options.org}/assignments`, {
    include_history: options.includeHistory,
    persona: options.personaSlug,
  })

export const listVacancies = (context: CliContext, { org, json }: Form & { org: string }) =>
  answer(context, { json }, 'GET', url`/orgs/${org}/vacancies`)

export const listAvailablePersonas = (context: CliContext, options: Form) =>
  answer(context, options, 'GET', '/personas/available')

export const assessFit = (context: CliContext, { positionId, personaSlug, json }: SeatingOptions) =>
  answer(context, { json }, 'GET', url`/positions/${positionId}/fit`, { persona: personaSlug })
