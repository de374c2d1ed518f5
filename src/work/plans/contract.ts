import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { Fault } from '../../documents/contract.ts'
import { FileOptions } from '../../documents/options.contract.ts'
import { BriefSpec } from '../briefs/contract.ts'
import { FileReview } from '../trusted-files/contract.ts'
import { CreateRun, Run } from '../runs/contract.ts'
import { planEndpoints } from './endpoints.ts'

/**
 * The content of a plan file: a run, with a goal that may come from the command line instead. A file shows nothing of
 * this machine to its agents, and no file trusts itself.
 */
export const PlanDocument = CreateRun.omit({ readable: true, trust: true, fileNames: true }).extend({
  goal: CreateRun.shape.goal.optional(),
  runtimeOptions: FileOptions.default({}),
  verifierOptions: FileOptions.optional(),
  briefs: z
    .array(BriefSpec.extend({ runtimeOptions: FileOptions.optional() }))
    .max(10_000)
    .default([]),
})
export type PlanDocument = z.infer<typeof PlanDocument>

type Overrides = { [Name in Exclude<keyof CreateRun, 'briefs'>]?: CreateRun[Name] | undefined }

/** All fields of a run except its briefs, without defaults: an absent field must not override the file. */
const overrides = Object.fromEntries(
  Object.entries(CreateRun.omit({ briefs: true }).shape).map(([name, schema]) => [
    name,
    (schema instanceof z.ZodDefault ? schema.unwrap() : schema).optional(),
  ]),
)

/** The file, and the values of the command line that replace its own. */
export type PlanInput = { plan: string } & Overrides
export const PlanInput = z.strictObject({
  plan: z.string().min(1).max(8_000_000).describe('YAML: a run with its briefs'),
  ...overrides,
}) as unknown as z.ZodType<PlanInput>

/** A brief with its position in the plan's order. */
export const PlannedBrief = z.object({
  key: z.string(),
  title: z.string(),
  level: z.number().int().describe('From 1: briefs of one level do not wait for each other'),
  after: z.array(z.string()),
  evidence: z.array(z.string()).describe('The required evidence, one line each'),
  runtime: z.string().nullable(),
  persona: z.string().nullable(),
  verifier: z.string().nullable(),
})
export type PlannedBrief = z.infer<typeof PlannedBrief>

export const planOperations = {
  check: operation({
    name: 'plan.check',
    summary: 'List the faults of a plan, line by line, and the order of its briefs; starts nothing',
    ...planEndpoints.check,
    input: PlanInput,
    output: z.object({
      valid: z.boolean(),
      faults: z.array(Fault),
      goal: z.string().nullable(),
      briefs: z.array(PlannedBrief),
      files: z.array(FileReview).describe('Those of the given files that start anything'),
    }),
    allow: ['operator'],
  }),
  run: operation({
    name: 'plan.run',
    summary: 'Start the run that a plan describes',
    ...planEndpoints.run,
    input: PlanInput,
    output: Run,
    allow: ['operator'],
  }),
}
