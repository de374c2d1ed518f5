import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OfOrganisation, PersonaReference } from '../../org/references.contract.ts'
import { missionStatuses } from './states.ts'
import { missionEndpoints } from './endpoints.ts'

export const MissionStatus = z.enum(missionStatuses)
export const Priority = z.enum(['low', 'medium', 'high', 'urgent'])
export type Priority = z.infer<typeof Priority>
export const PlaybookName = z.string().min(1).max(64).describe('The way of working; without one, the plainest')

export const Mission = z.object({
  id: z.string(),
  organisationId: z.number().int(),
  projectId: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  status: MissionStatus,
  pausedFrom: MissionStatus.nullable(),
  priority: Priority,
  playbook: PlaybookName,
  acceptance: z.string(),
  assignee: z.number().int().nullable(),
  parentMission: z.string().nullable(),
  tags: z.array(z.string()),
  contextNotes: z.string(),
  tokenBudget: z.number().int().nullable(),
  costLimit: z.number().nullable(),
  deadline: z.string().nullable(),
  deliverables: z.array(z.string()),
  outcomeSummary: z.string().nullable(),
  lessonsLearned: z.string().nullable(),
  workspacePath: z.string().nullable(),
  passed: z.array(z.object({ status: MissionStatus, at: z.string() })).describe('Each status with the time it began'),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Mission = z.infer<typeof Mission>

/** A mission in a list. */
export const MissionLine = Mission.extend({ simulated: z.boolean().describe('It had runs, and all were simulated') })
export type MissionLine = z.infer<typeof MissionLine>

export const CreateMission = z.strictObject({
  title: z.string().trim().min(1).max(200),
  description: z.string().max(50_000).default(''),
  organisationId: z.number().int().positive().default(1),
  priority: Priority.default('medium'),
  playbook: PlaybookName.optional(),
  acceptance: z.string().max(10_000).default(''),
  tags: z.array(z.string().trim().min(1).max(50)).max(50).default([]),
  contextNotes: z.string().max(50_000).default(''),
  tokenBudget: z.number().int().positive().max(1e12).optional(),
  costLimit: z.number().positive().max(1e9).optional(),
  deadline: z.iso.datetime().optional(),
  deliverables: z.array(z.string().min(1).max(500)).max(100).default([]),
  assignee: PersonaReference.optional().describe('The persona responsible for it'),
  parentMission: z.string().max(100).optional().describe('The mission that it is a part of: its id or a unique prefix'),
})
export type CreateMission = z.infer<typeof CreateMission>

const missionId = z.string().describe('The id or a unique prefix')

export const missionOperations = {
  create: operation({
    name: 'mission.create',
    summary: 'Create a mission in the backlog',
    ...missionEndpoints.create,
    input: CreateMission,
    output: Mission,
    allow: ['operator'],
  }),
  list: operation({
    name: 'mission.list',
    summary: 'List missions, newest first',
    ...missionEndpoints.list,
    input: z.strictObject({
      status: MissionStatus.optional(),
      organisationId: OfOrganisation,
      limit: z.coerce.number().int().min(1).max(500).default(50),
    }),
    output: z.object({ missions: z.array(MissionLine) }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'mission.show',
    summary: 'Show a mission and the time of each status',
    ...missionEndpoints.show,
    input: z.strictObject({ missionId }),
    output: Mission,
    allow: ['operator'],
  }),
  update: operation({
    name: 'mission.update',
    summary: 'Change a mission’s status',
    ...missionEndpoints.update,
    input: z.strictObject({ missionId, status: MissionStatus, reason: z.string().max(2_000).optional() }),
    output: Mission,
    allow: ['operator'],
  }),
}
