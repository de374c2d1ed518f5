import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { PlaybookName } from '../missions/contract.ts'
import { composerEndpoints } from './endpoints.ts'

/** An option of a runtime that a person may state when she starts a run. */
export const RuntimeField = z.object({
  name: z.string(),
  label: z.string(),
  isCommand: z.boolean().describe('A list of words, written as a command line'),
  isRequired: z.boolean(),
  choices: z.array(z.string()).nullable().describe('The only values that work here; null: any text'),
})
export type RuntimeField = z.infer<typeof RuntimeField>

export const RuntimeChoice = z.object({
  name: z.string(),
  title: z.string().describe('The name that people know it by'),
  usable: z.boolean().describe('It can run on this machine now'),
  simulated: z.boolean().describe('Its agents follow a script and call no model'),
  offered: z.boolean().describe('A simulation is offered only where no agent is usable'),
  version: z.string().nullable(),
  reason: z.string().nullable().describe('Why it is not usable'),
  install: z.string().nullable().describe('The command or the step that makes it usable'),
  fields: z.array(RuntimeField),
})
export type RuntimeChoice = z.infer<typeof RuntimeChoice>

export const KnownRepository = z.object({
  path: z.string(),
  usedAt: z.string().nullable().describe('When the newest run in it was started; null: no run has used it'),
})
export type KnownRepository = z.infer<typeof KnownRepository>

/** A command that a file of the repository suggests as proof. Nothing of the repository was started to find it. */
export const SuggestedProof = z.object({
  run: z.string(),
  from: z.string().describe('The file that suggests it, and the place in it'),
  kind: z.enum(['test', 'check']).describe('test: the tests; check: types, lint, build'),
})
export type SuggestedProof = z.infer<typeof SuggestedProof>

export const RepositoryCheck = z.object({
  path: z.string().describe('The top of the repository, or the path that was asked for'),
  usable: z.boolean(),
  problem: z.object({ message: z.string(), hint: z.string().nullable() }).nullable(),
  branch: z.string().nullable().describe('The branch that is checked out, into which the result is merged'),
  dirty: z.boolean().describe('It has uncommitted changes'),
  warnings: z.array(z.string()).describe('One sentence for each thing that a run will not see or touch'),
  proofs: z.array(SuggestedProof),
})
export type RepositoryCheck = z.infer<typeof RepositoryCheck>

/** Whether the program of a command exists on this machine; null: the command starts with a word of the shell. */
export const CommandCheck = z.object({
  run: z.string(),
  program: z.string().nullable(),
  found: z.boolean().nullable(),
})
export type CommandCheck = z.infer<typeof CommandCheck>

const Range = z.object({ low: z.number(), high: z.number() })

/** The duration and the cost of completed runs. It is never derived from anything else. */
export const RunEstimate = z.object({
  runs: z.number().int().describe('The completed runs that it is based on; 0: there is no estimate yet'),
  simulated: z.boolean(),
  minutes: Range.nullable().describe('During which agents were at work, without waits for decisions'),
  tokens: Range.nullable(),
  usd: Range.nullable().describe('null: no run of them has a complete price'),
})
export type RunEstimate = z.infer<typeof RunEstimate>

const path = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(4_096)
  .refine((text) => !text.includes('\0'), { error: 'must not contain NUL' })

export const composerOperations = {
  choices: operation({
    name: 'composer.choices',
    summary: 'List the agents of this machine and the repositories that a run may use; calls no model',
    ...composerEndpoints.choices,
    input: z.strictObject({}),
    output: z.object({
      runtimes: z.array(RuntimeChoice),
      runtime: z.string().nullable().describe('The one that a run without a choice of its own gets; null: none'),
      acceptance: z.enum(['auto', 'operator']).describe('The default of runs: whether their results wait for you'),
      repositories: z.array(KnownRepository).describe('The folder of the daemon first, then the newest'),
    }),
    allow: ['operator'],
  }),
  repository: operation({
    name: 'composer.repository',
    summary: 'Check a path for a run, and list the proofs that its files suggest; starts nothing of it',
    ...composerEndpoints.repository,
    input: z.strictObject({ path: path.describe('An absolute path on the daemon’s machine; ~ is its home directory') }),
    output: RepositoryCheck,
    allow: ['operator'],
  }),
  check: operation({
    name: 'composer.check',
    summary: 'Report whether the programs of commands exist on this machine; starts none of them',
    ...composerEndpoints.check,
    input: z.strictObject({
      commands: z.array(z.string().min(1).max(10_000)).max(50),
      repo: path.optional().describe('The repository in which relative programs are looked up'),
    }),
    output: z.object({ commands: z.array(CommandCheck) }),
    allow: ['operator'],
  }),
  estimate: operation({
    name: 'composer.estimate',
    summary: 'Show how long runs of this kind have worked, and their cost',
    ...composerEndpoints.estimate,
    input: z.strictObject({
      playbook: PlaybookName.optional(),
      runtime: z.string().max(64).optional().describe('Simulated runs say nothing about real ones, nor the reverse'),
    }),
    output: RunEstimate,
    allow: ['operator'],
  }),
}
