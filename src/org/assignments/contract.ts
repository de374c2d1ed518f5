import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { structureChange } from '../changes.contract.ts'
import { OrgReference, PersonaReference, Warnings } from '../references.contract.ts'
import { assignmentEndpoints } from './endpoints.ts'

/** The holder of a seat, as the organisation document shows it. */
export const AssignmentView = z.object({
  personaAssignmentId: z.number().int(),
  personaId: z.number().int(),
  personaSlug: z.string(),
  personaName: z.string(),
  assignedAt: z.string(),
  skillFile: z.string(),
  experienceFile: z.string(),
})
export type AssignmentView = z.infer<typeof AssignmentView>

export const AssignmentRecord = AssignmentView.extend({
  organisationId: z.number().int(),
  positionId: z.number().int().nullable().describe('Null if the seat has been removed since'),
  positionTitle: z.string(),
  unassignedAt: z.string().nullable(),
})
export type AssignmentRecord = z.infer<typeof AssignmentRecord>

const SeatLine = z.object({
  positionId: z.number().int(),
  title: z.string(),
  role: z.string(),
  level: z.number().int(),
})

export const assignmentOperations = {
  assign: structureChange({
    name: 'org.assign',
    summary: 'Seat a persona',
    ...assignmentEndpoints.assign,
    input: z.strictObject({
      positionId: z.coerce.number().int().positive(),
      persona: PersonaReference,
      reassign: z.boolean().default(false).describe('Replace the current holder'),
    }),
    output: z.object({ assignment: AssignmentRecord, warnings: z.array(z.string()) }),
  }),
  unassign: structureChange({
    name: 'org.unassign',
    summary: 'Empty a seat; the history keeps its holders',
    ...assignmentEndpoints.unassign,
    input: z.strictObject({ positionId: z.coerce.number().int().positive() }),
    output: z.object({ assignment: AssignmentRecord, warnings: Warnings }),
  }),
  list: operation({
    name: 'org.assignments',
    summary: 'List the holders of seats; with history also the former ones',
    ...assignmentEndpoints.list,
    input: z.strictObject({
      org: OrgReference,
      includeHistory: z.stringbool().default(false),
      persona: PersonaReference.optional(),
      positionId: z.coerce.number().int().positive().optional(),
    }),
    output: z.object({ assignments: z.array(AssignmentRecord) }),
    allow: ['operator', 'agent'],
  }),
  vacancies: operation({
    name: 'org.vacancies',
    summary: 'Empty seats',
    ...assignmentEndpoints.vacancies,
    input: z.strictObject({ org: OrgReference }),
    output: z.object({ vacancies: z.array(SeatLine) }),
    allow: ['operator', 'agent'],
  }),
  available: operation({
    name: 'org.available_personas',
    summary: 'List agent personas that hold no seat in any organisation',
    ...assignmentEndpoints.available,
    input: z.strictObject({}),
    output: z.object({
      personas: z.array(
        z.object({ personaId: z.number().int(), name: z.string(), slug: z.string(), role: z.string() }),
      ),
    }),
    allow: ['operator', 'agent'],
  }),
  assessFit: operation({
    name: 'org.assess_fit',
    summary: 'Show a seat’s role, the organisation’s intent and a persona’s skills side by side, without a verdict',
    ...assignmentEndpoints.assessFit,
    input: z.strictObject({ positionId: z.coerce.number().int().positive(), persona: PersonaReference }),
    output: z.object({
      position: SeatLine.extend({ roleDescription: z.string(), organisation: z.string() }),
      intent: z.string(),
      persona: z.object({
        personaId: z.number().int(),
        name: z.string(),
        slug: z.string(),
        role: z.string(),
        skill: z.string(),
      }),
    }),
    allow: ['operator', 'agent'],
  }),
}
