import { z } from 'zod'

import { Fault } from '../../documents/contract.ts'
import { FileOptions } from '../../documents/options.contract.ts'
import { operation } from '../../operations/contract.ts'
import { CreateRun } from '../runs/contract.ts'
import { FileReview } from '../trusted-files/contract.ts'
import { templateEndpoints } from './endpoints.ts'

/** The fields of a run that a template may set; an absent one is left to the person who starts the run. */
export const TemplateRun = CreateRun.pick({
  playbook: true,
  runtime: true,
  setup: true,
  protected: true,
  verify: true,
  planner: true,
  planGate: true,
  acceptance: true,
  onLimit: true,
  tokenBudget: true,
  costLimit: true,
  retryBudget: true,
  mode: true,
  repo: true,
  base: true,
})
  .partial()
  .extend({
    planner: z.boolean().optional(),
    planGate: z.boolean().optional(),
    evidence: CreateRun.shape.evidence.unwrap().optional(),
    runtimeOptions: FileOptions.optional(),
  })
export type TemplateRun = z.infer<typeof TemplateRun>

/** The content of a template file. */
export const TemplateDocument = TemplateRun.extend({
  title: z.string().trim().min(1).max(80),
  description: z.string().trim().max(300).default(''),
  ask: z.string().trim().min(1).max(200).optional().describe('What the person adds to the goal, as a question'),
  goal: z.string().trim().max(10_000).default('').describe('The instructions, which follow what the person adds'),
}).strict()
export type TemplateDocument = z.infer<typeof TemplateDocument>

export const TemplateName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must have lower-case letters, digits and hyphens only' })

export const Template = z.object({
  name: TemplateName,
  title: z.string(),
  description: z.string(),
  ask: z.string().nullable(),
  goal: z.string(),
  path: z.string().nullable().describe('The file; null: it is built in'),
  run: TemplateRun.describe('Without what starts anything, until the file is trusted'),
  review: FileReview.nullable().describe('Everything that the file starts; null: it starts nothing'),
  text: z.string().nullable().describe('The file, for whoever trusts it; null: it needs no trust'),
})
export type Template = z.infer<typeof Template>

/** A file that is no template; the others are not affected. */
export const BrokenTemplate = z.object({ path: z.string(), faults: z.array(Fault) })
export type BrokenTemplate = z.infer<typeof BrokenTemplate>

export const templateOperations = {
  list: operation({
    name: 'template.list',
    summary: 'List the templates for runs: the files of the home, then those that are built in',
    ...templateEndpoints.list,
    input: z.strictObject({}),
    output: z.object({
      folder: z.string().nullable().describe('The folder to which people add templates'),
      templates: z.array(Template),
      broken: z.array(BrokenTemplate),
    }),
    allow: ['operator'],
  }),
}
