import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { structureChange, textChange } from '../changes.contract.ts'
import { OrgName, OrgReference, Purpose, Warnings } from '../references.contract.ts'
import { organisationEndpoints } from './endpoints.ts'

export const OrganisationStatus = z.enum(['active', 'dormant', 'archived'])

/** The four lists that describe to an agent what its organisation wants. */
export const Intent = z.object({
  optimiseFor: z.array(z.string()),
  protect: z.array(z.string()),
  neverSacrifice: z.array(z.string()),
  constraints: z.array(z.string()),
})
export type Intent = z.infer<typeof Intent>

export const OrganisationView = z.object({
  organisationId: z.number().int(),
  name: z.string(),
  purpose: z.string(),
  slug: z.string(),
  description: z.string(),
  status: OrganisationStatus,
  leadPositionId: z.number().int().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type OrganisationView = z.infer<typeof OrganisationView>

const ChangedOrganisation = OrganisationView.extend({ warnings: Warnings })

/** Key, default and meaning; values are text, checked per key by the service. */
export const organisationSettings = {
  pm_autonomy: 'v2',
  autostart: 'true',
  governance: 'enforce',
  delegation_rule: 'request_approval',
  plans: 'by_size',
  'handoff.rehydrate': 'ask',
  idle_stop_minutes: '60',
  'pm.checkin_minutes': '15',
  'escalation.ack_minutes': '15',
  'escalation.blocked_minutes': '30',
  'escalation.processing_minutes': '60',
  'escalation.failures': '3',
  'brief.accept_minutes': '30',
  'brief.report_minutes': '10',
  risk_tolerance: 'moderate',
} as const
export type SettingKey = keyof typeof organisationSettings

const org = z.strictObject({ org: OrgReference })

export const organisationOperations = {
  create: structureChange({
    name: 'org.create',
    summary: 'Create an organisation, with its directory and an empty intent',
    ...organisationEndpoints.create,
    input: z.strictObject({ name: OrgName, purpose: Purpose, description: z.string().max(10_000).default('') }),
    output: ChangedOrganisation,
  }),
  list: operation({
    name: 'org.list',
    summary: 'List organisations; archived ones only with all',
    ...organisationEndpoints.list,
    input: z.strictObject({ all: z.stringbool().default(false) }),
    output: z.object({ organisations: z.array(OrganisationView) }),
    allow: ['operator', 'agent'],
  }),
  show: operation({
    name: 'org.show',
    summary: 'One organisation',
    ...organisationEndpoints.show,
    input: org,
    output: OrganisationView,
    allow: ['operator', 'agent'],
  }),
  update: structureChange({
    name: 'org.update',
    summary: 'Change description, status, lead seat or name (a new name is a new slug with its own directory)',
    ...organisationEndpoints.update,
    input: org.extend({
      name: OrgName.optional(),
      description: z.string().max(10_000).optional(),
      status: OrganisationStatus.optional(),
      leadPositionId: z.number().int().positive().nullable().optional(),
    }),
    output: ChangedOrganisation,
  }),
  status: operation({
    name: 'org.status',
    summary: 'Count filled seats and live agents',
    ...organisationEndpoints.status,
    input: org,
    output: z.object({
      organisationId: z.number().int(),
      slug: z.string(),
      status: OrganisationStatus,
      positions: z.object({ total: z.number().int(), filled: z.number().int(), vacant: z.number().int() }),
      activeAgents: z.number().int(),
      openProposals: z.number().int(),
    }),
    allow: ['operator', 'agent'],
  }),
  settings: operation({
    name: 'org.settings',
    summary: 'List the organisation’s settings, including defaults',
    ...organisationEndpoints.settings,
    input: org.extend({ key: z.string().max(64).optional() }),
    output: z.object({
      settings: z.array(z.object({ key: z.string(), value: z.string(), default: z.string(), isDefault: z.boolean() })),
    }),
    allow: ['operator', 'agent'],
  }),
  set: structureChange({
    name: 'org.set',
    summary: 'Change one setting',
    ...organisationEndpoints.set,
    input: org.extend({ key: z.string().min(1).max(64), value: z.string().max(200) }),
    output: z.object({ key: z.string(), value: z.string(), warnings: Warnings }),
  }),
  readIntent: operation({
    name: 'org.intent_read',
    summary: 'Show the text of intent.md and its four lists',
    ...organisationEndpoints.readIntent,
    input: org,
    output: z.object({ text: z.string(), intent: Intent, warnings: z.array(z.string()) }),
    allow: ['operator', 'agent'],
  }),
  writeIntent: textChange({
    name: 'org.intent_write',
    summary: 'Replace intent.md; the previous text is kept as intent.md.bak',
    ...organisationEndpoints.writeIntent,
    input: org.extend({ text: z.string().max(200_000) }),
    output: z.object({ intent: Intent, warnings: z.array(z.string()) }),
  }),
}
