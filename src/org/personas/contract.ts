import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
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
  origin: z.enum(['seed', 'import', 'pool']).nullable().describe('Null: made here by hand'),
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

/** A file of somebody else's collection of agents, as the importer gets it. */
export const AgentFile = z.strictObject({ path: z.string().min(1).max(500), text: Content })

export const personaOperations = {
  create: operation({
    name: 'persona.create',
    summary: 'Make a persona with its skill.md and experience.md; a role that is not there yet is made too',
    ...personaEndpoints.create,
    input: z.strictObject({
      name: PersonaName,
      role: RoleName,
      type: PersonaKind.default('agent'),
      subtype: PersonaSubtype.default('internal'),
      canCreateChannel: z.boolean().default(false),
    }),
    output: ChangedPersona,
    allow: ['operator', 'agent'],
  }),
  list: operation({
    name: 'persona.list',
    summary: 'Personas; the system’s and those cast from the pool only when asked for',
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
    summary: 'A persona with the seats it holds in all organisations',
    ...personaEndpoints.show,
    input: persona,
    output: z.object({ persona: PersonaView, positions: z.array(Held) }),
    allow: ['operator', 'agent'],
  }),
  update: operation({
    name: 'persona.update',
    summary: 'Change name, role or status; slug and directory stay',
    ...personaEndpoints.update,
    input: persona.extend({
      name: PersonaName.optional(),
      role: RoleName.optional(),
      status: z.enum(['active', 'archived']).optional(),
      canCreateChannel: z.boolean().optional(),
      unassign: z.boolean().default(false).describe('With status archived: empty the seats that it holds first'),
    }),
    output: ChangedPersona,
    allow: ['operator', 'agent'],
  }),
  archive: operation({
    name: 'persona.archive',
    summary: 'Put a persona away; the seats it holds need their own yes',
    ...personaEndpoints.archive,
    input: persona.extend({
      unassign: z.stringbool().default(false).describe('Empty the seats that it holds first'),
      preview: z.stringbool().default(false).describe('Only say what would change'),
    }),
    output: z.object({
      persona: PersonaView,
      unassigned: z.array(z.string()).describe('Seats, as title@organisation'),
      archived: z.boolean(),
      warnings: Warnings,
    }),
    allow: ['operator', 'agent'],
  }),
  readSkill: operation({
    name: 'persona.skill',
    summary: 'The text of skill.md, as it is now',
    ...personaEndpoints.readSkill,
    input: persona,
    output: z.object({ text: z.string() }),
    allow: ['operator', 'agent'],
  }),
  writeSkill: operation({
    name: 'persona.skill_write',
    summary: 'Replace skill.md',
    ...personaEndpoints.writeSkill,
    input: persona.extend({ text: Content }),
    output: Written,
    allow: ['operator', 'agent'],
  }),
  readExperience: operation({
    name: 'persona.experience',
    summary: 'The text of experience.md, as it is now',
    ...personaEndpoints.readExperience,
    input: persona,
    output: z.object({ text: z.string() }),
    allow: ['operator', 'agent'],
  }),
  appendExperience: operation({
    name: 'persona.experience_append',
    summary: 'Add to experience.md, with date and author',
    ...personaEndpoints.appendExperience,
    input: persona.extend({ text: Content.refine((text) => text.trim() !== '', { error: 'must say something' }) }),
    output: Written,
    allow: ['operator', 'agent'],
  }),
  writeExperience: operation({
    name: 'persona.experience_write',
    summary: 'Replace experience.md',
    ...personaEndpoints.writeExperience,
    input: persona.extend({ text: Content }),
    output: Written,
    allow: ['operator'],
  }),
  importFiles: operation({
    name: 'persona.import',
    summary: 'Personas from .claude/agents or agency-agents files; says what was skipped and why',
    ...personaEndpoints.importFiles,
    input: z.strictObject({
      files: z.array(AgentFile).max(1_000),
      role: RoleName.optional().describe('Without one: the folder that a file is in, else developer'),
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
    allow: ['operator'],
  }),
}
