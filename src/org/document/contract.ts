import { z } from 'zod'

import { Fault } from '../../documents/contract.ts'
import { operation } from '../../operations/contract.ts'
import { structureChange } from '../changes.contract.ts'
import { OrgReference } from '../references.contract.ts'
import { documentEndpoints } from './endpoints.ts'

/** The effect of an import on one entity. There is no `delete`: entities that a document leaves out stay. */
export const PlannedChange = z.object({
  action: z.enum(['create', 'update', 'unchanged', 'conflict']),
  entity: z.enum(['organisation', 'role', 'position', 'persona', 'assignment', 'setting', 'authority', 'intent']),
  label: z.string().describe('Such as position_id 4'),
  fields: z.array(z.object({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
  note: z.string().nullable(),
})
export type PlannedChange = z.infer<typeof PlannedChange>

const Document = z.string().max(20_000_000).describe('YAML')

export const documentOperations = {
  export: operation({
    name: 'org.export',
    summary: 'Export the organisation as a document: structure, intent, holders of seats',
    ...documentEndpoints.export,
    input: z.strictObject({
      org: OrgReference,
      format: z.enum(['yaml', 'json', 'markdown']).default('yaml'),
      positionsOnly: z.stringbool().default(false),
      role: z.string().max(64).optional(),
      allRoles: z.stringbool().default(false),
    }),
    output: z.object({ document: z.string(), warnings: z.array(z.string()) }),
    allow: ['operator', 'agent'],
    tool: 'org_export',
  }),
  validate: operation({
    name: 'org.validate',
    summary: 'List the faults of a document, line by line',
    ...documentEndpoints.validate,
    input: z.strictObject({ document: Document }),
    output: z.object({ valid: z.boolean(), faults: z.array(Fault) }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 0.5, burst: 10 },
  }),
  import: structureChange({
    name: 'org.import',
    summary: 'Apply a document to the store, completely or not at all; nothing is ever deleted',
    ...documentEndpoints.import,
    input: z.strictObject({
      document: Document,
      preview: z.boolean().default(false),
      force: z.boolean().default(false).describe('Also replace holders and rename shared roles and personas'),
      withIntent: z.boolean().default(false).describe('Also replace the intent of an existing organisation'),
    }),
    output: z.object({
      applied: z.boolean(),
      organisationId: z.number().int().nullable(),
      changes: z.array(PlannedChange),
      warnings: z.array(z.string()),
    }),
  }),
}
