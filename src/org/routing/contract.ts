import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OrgReference, PersonaReference } from '../references.contract.ts'
import { Intent } from '../organisations/contract.ts'
import { routingEndpoints } from './endpoints.ts'

/** One seat of a persona, with the facts that an agent needs at work. */
export const WhoAmICard = z.object({
  positionId: z.number().int(),
  title: z.string(),
  role: z.string(),
  level: z.number().int(),
  organisation: z.string(),
  reportingLine: z.array(z.string()).describe('From the direct superior up to the operator, with holders'),
  escalationPath: z.array(z.string()),
  directReports: z.array(z.string()),
  peers: z.array(z.string()),
  intent: Intent,
})

export const routingOperations = {
  whoami: operation({
    name: 'org.whoami',
    summary: 'Show a persona’s card: seat, lines, peers, intent; one per seat held',
    ...routingEndpoints.whoami,
    input: z.strictObject({
      persona: PersonaReference.optional().describe('Default: your own'),
      org: OrgReference.optional(),
    }),
    output: z.object({
      personaId: z.number().int(),
      name: z.string(),
      slug: z.string(),
      role: z.string(),
      cards: z.array(WhoAmICard),
    }),
    allow: ['operator', 'agent'],
    tool: 'whoami',
  }),
  route: operation({
    name: 'org.route',
    summary: 'Resolve an address: persona:SLUG, position:TITLE@ORG, role:NAME@ORG, manager, escalation, operator',
    ...routingEndpoints.route,
    input: z.strictObject({
      from: z.string().max(300).optional().describe('persona:SLUG; default: yourself'),
      to: z.string().min(1).max(300),
      org: OrgReference.optional(),
    }),
    output: z.object({
      address: z.string(),
      tried: z.array(z.string()).describe('Each hop in order, with the reason why it was skipped'),
      positionId: z.number().int().nullable(),
      position: z.string().nullable(),
      personaId: z.number().int().nullable(),
      persona: z.string().nullable().describe('Slug'),
    }),
    allow: ['operator', 'agent'],
    tool: 'org_route',
  }),
}
