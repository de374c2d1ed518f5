import { printAnswer } from '../../cli/answers.ts'
import type { orgAssessFitCommand } from '../../cli/commands/org/assess-fit.ts'
import type { orgAssignCommand } from '../../cli/commands/org/assign.ts'
import type { orgAssignmentsCommand } from '../../cli/commands/org/assignments.ts'
import type { orgAvailablePersonasCommand } from '../../cli/commands/org/available-personas.ts'
import type { orgUnassignCommand } from '../../cli/commands/org/unassign.ts'
import type { orgVacanciesCommand } from '../../cli/commands/org/vacancies.ts'
import type { Handler } from '../../cli/declare.ts'
import type { Wire } from '../../cli/wire.ts'
import type { PositionView } from '../positions/contract.ts'
import { positionEndpoints } from '../positions/endpoints.ts'
import { assignmentEndpoints } from './endpoints.ts'

export const assign: Handler<typeof orgAssignCommand> = (context, { positionId, personaSlug, reassign, json }) =>
  printAnswer(context, { json }, assignmentEndpoints.assign, {
    position_id: positionId,
    persona: personaSlug,
    reassign,
  })

export const unassign: Handler<typeof orgUnassignCommand> = async (context, { positionId, preview, json }) => {
  const input = { position_id: positionId }
  if (!preview) return printAnswer(context, { json }, assignmentEndpoints.unassign, input)
  const { position } = await context.api().call<{ position: Wire<PositionView> }>(positionEndpoints.show, input)
  const holder = position.assignment?.persona_slug
  context.out(holder === undefined ? 'no changes' : `update position_id ${positionId} assignment: ${holder} → null`)
  return 0
}

export const listAssignments: Handler<typeof orgAssignmentsCommand> = (context, options) =>
  printAnswer(context, options, assignmentEndpoints.list, {
    org: options.org,
    include_history: options.includeHistory,
    persona: options.personaSlug,
  })

export const listVacancies: Handler<typeof orgVacanciesCommand> = (context, { org, json }) =>
  printAnswer(context, { json }, assignmentEndpoints.vacancies, { org })

export const listAvailablePersonas: Handler<typeof orgAvailablePersonasCommand> = (context, options) =>
  printAnswer(context, options, assignmentEndpoints.available)

export const assessFit: Handler<typeof orgAssessFitCommand> = (context, { positionId, personaSlug, json }) =>
  printAnswer(context, { json }, assignmentEndpoints.assessFit, { position_id: positionId, persona: personaSlug })
