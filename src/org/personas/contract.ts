import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { structureChange, textChange } from '../changes.contract.ts'
import { PersonaName, PersonaReference, RoleName, Warnings } from '../references.contract.ts'
import { personaEndpoints } from './endpoints.ts'

export const PersonaKind = z.enum(['agent', 'person'])
export const PersonaSubtype = z.enum(['internal', 'external'])

export const PersonaView = z.object({
  personaId: z.number().int(),
  name: z.string(),
  slug: z.string(),
  role: z.string(),
  type: PersonaKind,
  subtype: PersonaSubtype,
  status: z.enum(['active', 'archived']),
  canCreateChannel: z.boolean(),
  origin: z.enum(['seed', 'import', 'pool']).nullable().describe('Null: created here by hand'),
  skillFile: z.string().nullable().describe('Null for a person, and for the system'),
  experienceFile: z.string().nullable(),
  activeAgents: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type PersonaView = z.infer<typeof PersonaView>

const ChangedPersona = PersonaView.extend({ warnings: Warnings })
const Written = z.object({ bytes: z.number().int(), warnings: Warnings })

const Held = z.object({
  positionId: z.number().int(),
  title: z.string(),
  organisation: z.string().describe('Slug'),
  assignedAt: z.string(),
})

const persona = z.strictObject({ persona: PersonaReference })
const Content = z.string().max(500_000)

/** A file of an external collection of agents, as the importer receives it. */
export const AgentFile = z.strictObject({ path: z.string().min(1).max(500), text: Content })

export const personaOperations = {
  create: structureChange({
    name: 'persona.create',
    summary: 'Create a persona with its skill.md and experience.md, and its role if that does not exist',
    ...personaEndpoints.create,
    input: z.strictObject({
      name: PersonaName,
      role: RoleName,
      type: PersonaKind.default('agent'),
      subtype: PersonaSubtype.default('internal'),
      canCreateChannel: z.boolean().default(false),
    }),
    output: ChangedPersona,
  }),
  list: operation({
    name: 'persona.list',
    summary: 'List personas; the system’s and those cast from the pool only with all',
    ...personaEndpoints.list,
    input: z.strictObject({
      active: z.stringbool().default(false),
      role: RoleName.optional(),
      all: z.stringbool().default(false),
    }),
    output: z.object({ personas: z.array(PersonaView) }),
    allow: ['operator', 'agent'],
  }),
  active: operation({
    name: 'persona.active',
    summary: 'Active personas',
    ...personaEndpoints.active,
    input: z.strictObject({}),
    output: z.object({ personas: z.array(PersonaView) }),
    allow: ['operator', 'agent'],
  }),
  show: operation({
    name: 'persona.show',
    summary: 'Show a persona and the seats it holds in all organisations',
    ...personaEndpoints.show,
    input: persona,
    output: z.object({ persona: PersonaView, positions: z.array(Held) }),
    allow: ['operator', 'agent'],
  }),
  update: structureChange({
    name: 'persona.update',
    summary: 'Change name, role or status; slug and directory stay',
    ...personaEndpoints.update,
    input: persona.extend({
      name: PersonaName.optional(),
      role: RoleName.optional(),
      status: z.enum(['active', 'archived']).optional(),
      canCreateChannel: z.boolean().optional(),
      unassign: z.boolean().default(false).describe('With status archived: empty its seats first'),
    }),
    output: ChangedPersona,
  }),
  archive: structureChange({
    name: 'persona.archive',
    summary: 'Archive a persona; emptying its seats needs unassign',
    ...personaEndpoints.archive,
    input: persona.extend({
      unassign: z.stringbool().default(false).describe('Empty its seats first'),
      preview: z.stringbool().default(false).describe('Only show the changes'),
    }),
    output: z.object({
      persona: PersonaView,
      unassigned: z.array(z.string()).describe('Seats, as title@organisation'),
      archived: z.boolean(),
      warnings: Warnings,
    }),
  }),
  readSkill: operation({
    name: 'persona.skill',
    summary: 'Show the current text of skill.md',
    ...personaEndpoints.readSkill,
    input: persona,
    output: z.object({ text: z.string() }),
    allow: ['operator', 'agent'],
  }),
  writeSkill: textChange({
    name: 'persona.skill_write',
    summary: 'Replace skill.md',
    ...personaEndpoints.writeSkill,
    input: persona.extend({ text: Content }),
    output: Written,
  }),
  readExperience: operation({
    name: 'persona.experience',
    summary: 'Show the current text of experience.md',
    ...personaEndpoints.readExperience,
    input: persona,
    output: z.object({ text: z.string() }),
    allow: ['operator', 'agent'],
  }),
  appendExperience: operation({
    name: 'persona.experience_append',
    summary: 'Append to experience.md, with date and author',
    ...personaEndpoints.appendExperience,
    input: persona.extend({ text: Content.refine((text) => text.trim() !== '', { error: 'must not be empty' }) }),
    output: Written,
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 0.1, burst: 20 },
  }),
  writeExperience: textChange({
    name: 'persona.experience_write',
    summary: 'Replace experience.md',
    ...personaEndpoints.writeExperience,
    input: persona.extend({ text: Content }),
    output: Written,
  }),
  importFiles: structureChange({
    name: 'persona.import',
    summary: 'Import personas from .claude/agents or agency-agents files; reports skipped files with the reason',
    ...personaEndpoints.importFiles,
    input: z.strictObject({
      files: z.array(AgentFile).max(1_000),
      role: RoleName.optional().describe('Default: the folder of the file, else developer'),
      preview: z.boolean().default(false),
    }),
    output: z.object({
      created: z.array(
        z.object({
          path: z.string(),
          name: z.string(),
          role: z.string(),
          personaId: z.number().int().nullable().describe('Null in a preview, like the slug'),
          slug: z.string().nullable(),
        }),
      ),
      skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
    }),
  }),
}
