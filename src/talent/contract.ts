import { z } from 'zod'

import { operation } from '../operations/contract.ts'
import { Capability, TierName } from '../team/contract.ts'
import { talentEndpoints } from './endpoints.ts'

export const talentOrigins = ['bundled', 'own', 'team'] as const
export const TalentOrigin = z.enum(talentOrigins).describe('Shipped with Agency, of this home, or of a team file')
export type TalentOrigin = z.infer<typeof TalentOrigin>

/** The front matter of a personality; missing fields are inferred. */
export const TalentFields = z.object({
  name: z.string(),
  division: z.string(),
  tiers: z.array(TierName),
  domains: z.array(z.string()),
  capability: Capability,
})
export type TalentFields = z.infer<typeof TalentFields>

export const TalentView = TalentFields.extend({
  path: z.string().describe('Below the agents folder of its pool: engineering/sre.md'),
  from: TalentOrigin,
})
export type TalentView = z.infer<typeof TalentView>

/** One row of role_registry.yaml: the personality for a tier and domain unless a plan names one. */
export const MapRow = z.object({ tier: TierName, domain: z.string(), name: z.string(), from: TalentOrigin })
export type MapRow = z.infer<typeof MapRow>

export const PromptFile = z.object({
  playbook: z.string(),
  name: z.string(),
  from: z.enum(['bundled', 'own']).describe('own: a file of this home replaces the bundled one'),
  path: z.string().describe('The file that is read'),
})
export type PromptFile = z.infer<typeof PromptFile>

const Warnings = z.array(z.string()).describe('Unusable files, with the reason')

export const talentOperations = {
  list: operation({
    name: 'talent.list',
    summary: 'List the personalities that work can be cast with, and unusable files',
    ...talentEndpoints.list,
    input: z.strictObject({ tier: TierName.optional(), division: z.string().min(1).max(200).optional() }),
    output: z.object({ entries: z.array(TalentView), warnings: Warnings }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 30 },
  }),
  show: operation({
    name: 'talent.show',
    summary: 'Show a personality: its five fields and its text',
    ...talentEndpoints.show,
    input: z.strictObject({
      talent: z.string().trim().min(1).max(500).describe('Its name, its file with or without division, or its path'),
    }),
    output: TalentView.extend({ text: z.string().describe('The personality text that its agents receive') }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 30 },
  }),
  map: operation({
    name: 'talent.map',
    summary: 'Show the default casting by tier and domain',
    ...talentEndpoints.map,
    input: z.strictObject({}),
    output: z.object({
      rows: z.array(MapRow),
      defaults: z.record(z.string(), z.string()).describe('By tier, for every other domain'),
      warnings: Warnings,
    }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 30 },
  }),
  import: operation({
    name: 'talent.import',
    summary: 'Import the personalities of a folder of this machine; reports skipped files with the reason',
    ...talentEndpoints.import,
    input: z.strictObject({
      directory: z
        .string()
        .regex(/^\/[^\0]*$/, { error: 'must be an absolute path' })
        .max(4_096)
        .describe('A pool of division folders, or a project that has .claude/agents'),
    }),
    output: z.object({
      imported: z.array(z.string()).describe('Paths below the agents folder of this home'),
      updated: z.array(z.string()).describe('Files of the same pool that existed with another text'),
      skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
      mapping: z.boolean().describe('Whether its role_registry.yaml was imported'),
    }),
    allow: ['operator'],
  }),
  prompts: operation({
    name: 'talent.prompts',
    summary: 'List the prompt files of every playbook, and which of them this home replaces',
    ...talentEndpoints.prompts,
    input: z.strictObject({}),
    output: z.object({ prompts: z.array(PromptFile), warnings: Warnings }),
    allow: ['operator', 'agent'],
    agentRate: { perSecond: 1, burst: 30 },
  }),
}
