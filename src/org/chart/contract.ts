import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OrganisationView } from '../organisations/contract.ts'
import { OrgReference } from '../references.contract.ts'
import { chartEndpoints } from './endpoints.ts'

/** A seat in the chart. Reporting lines form the tree; escalation lines may lead elsewhere. */
export const ChartSeat = z.object({
  positionId: z.number().int(),
  title: z.string(),
  role: z.string(),
  level: z.number().int(),
  isCrossCutting: z.boolean(),
  isLead: z.boolean(),
  reportsToId: z.number().int().nullable(),
  escalatesToId: z.number().int().nullable(),
  holder: z.object({ personaId: z.number().int(), name: z.string(), slug: z.string() }).nullable(),
})
export type ChartSeat = z.infer<typeof ChartSeat>

const org = z.strictObject({ org: OrgReference })

export const chartOperations = {
  chart: operation({
    name: 'org.chart',
    summary: 'List every seat with its lines and holder',
    ...chartEndpoints.chart,
    input: org,
    output: z.object({ organisation: OrganisationView, seats: z.array(ChartSeat) }),
    allow: ['operator', 'agent'],
  }),
  tree: operation({
    name: 'org.tree',
    summary: 'Show the chart as text: an indented tree, or a Mermaid diagram',
    ...chartEndpoints.tree,
    input: org.extend({ mermaid: z.stringbool().default(false) }),
    output: z.object({ text: z.string() }),
    allow: ['operator', 'agent'],
    tool: 'org_tree',
  }),
}
