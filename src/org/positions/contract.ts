import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { structureChange } from '../changes.contract.ts'
import { AssignmentView } from '../assignments/contract.ts'
import { Level, OrgReference, Preview, RoleName, Title, Warnings } from '../references.contract.ts'
import { positionEndpoints } from './endpoints.ts'

export const Authority = z.object({
  kind: z.enum(['spend_per_transaction', 'spend_per_session', 'spend_per_day', 'tokens_per_session']),
  limit: z.number().min(0).max(1e15),
  unit: z.string().trim().min(1).max(32),
  onBreach: z.enum(['refuse', 'gate', 'hard_stop']),
})
export type Authority = z.infer<typeof Authority>

export const PositionView = z.object({
  positionId: z.number().int(),
  organisationId: z.number().int(),
  title: z.string(),
  role: z.string(),
  level: z.number().int(),
  reportsTo: z.string().nullable().describe('A title; null: the operator'),
  escalatesTo: z.string().nullable(),
  isCrossCutting: z.boolean(),
  isLead: z.boolean(),
  assignment: AssignmentView.nullable(),
  authority: z.array(Authority),
})
export type PositionView = z.infer<typeof PositionView>

const ChangedPosition = PositionView.extend({ warnings: Warnings })
const ChangedAuthority = z.object({ authority: z.array(Authority), warnings: Warnings })

const positionId = z.coerce.number().int().positive()
export const Removal = z.object({
  position: PositionView,
  directReports: z.array(z.string()).describe('Titles that would report to the parent'),
  escalatingHere: z.array(z.string()).describe('Titles that would escalate to the parent instead'),
  holder: z.string().nullable(),
  isLead: z.boolean(),
  removed: z.boolean(),
})
export type Removal = z.infer<typeof Removal>

export const positionOperations = {
  create: structureChange({
    name: 'position.create',
    summary: 'Add a seat; seats refer to each other by title',
    ...positionEndpoints.create,
    input: z.strictObject({
      org: OrgReference,
      title: Title,
      role: RoleName,
      level: Level.default(1),
      reportsTo: Title.nullable().default(null),
      escalatesTo: Title.nullable().default(null),
      isCrossCutting: z.boolean().default(false),
    }),
    output: ChangedPosition,
  }),
  list: operation({
    name: 'position.list',
    summary: 'List the seats of an organisation',
    ...positionEndpoints.list,
    input: z.strictObject({ org: OrgReference }),
    output: z.object({ positions: z.array(PositionView) }),
    allow: ['operator', 'agent'],
  }),
  show: operation({
    name: 'position.show',
    summary: 'Show a seat: holder, lines, direct reports',
    ...positionEndpoints.show,
    input: z.strictObject({ positionId }),
    output: z.object({
      position: PositionView,
      reportingLine: z.array(z.string()),
      escalationPath: z.array(z.string()),
      directReports: z.array(z.string()),
    }),
    allow: ['operator', 'agent'],
  }),
  update: structureChange({
    name: 'position.update',
    summary: 'Change the given fields of a seat',
    ...positionEndpoints.update,
    input: z.strictObject({
      positionId,
      title: Title.optional(),
      role: RoleName.optional(),
      level: Level.optional(),
      reportsTo: Title.nullable().optional(),
      escalatesTo: Title.nullable().optional(),
      isCrossCutting: z.boolean().optional(),
    }),
    output: ChangedPosition,
  }),
  remove: structureChange({
    name: 'position.remove',
    summary: 'Remove a seat; direct reports, a holder and the lead each need their own flag',
    ...positionEndpoints.remove,
    input: z.strictObject({
      positionId,
      preview: Preview,
      reparent: z.boolean().default(false).describe('Move direct reports to the parent'),
      unassign: z.boolean().default(false).describe('Empty the seat first'),
      force: z.boolean().default(false).describe('Also remove the lead seat'),
    }),
    output: Removal.extend({ warnings: Warnings }),
  }),
  setAuthority: structureChange({
    name: 'position.authority_set',
    summary: 'Limit what a seat may spend',
    ...positionEndpoints.setAuthority,
    input: Authority.extend({ positionId }).strict(),
    output: ChangedAuthority,
  }),
  listAuthority: operation({
    name: 'position.authority_list',
    summary: 'A seat’s limits',
    ...positionEndpoints.listAuthority,
    input: z.strictObject({ positionId }),
    output: z.object({ authority: z.array(Authority) }),
    allow: ['operator', 'agent'],
  }),
  clearAuthority: structureChange({
    name: 'position.authority_clear',
    summary: 'Remove one limit',
    ...positionEndpoints.clearAuthority,
    input: z.strictObject({ positionId, kind: Authority.shape.kind }),
    output: ChangedAuthority,
  }),
}
