import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { repositorySettingsEndpoints } from './endpoints.ts'

export const ChecksPlace = z
  .enum(['checkout', 'workspace', 'host'])
  .describe(
    'Where evidence is checked. checkout: in a fresh checkout of the commit; workspace: in the agent’s workspace, where untracked files may help; host: outside any box, for the commands that config.yaml lists',
  )
export type ChecksPlace = z.infer<typeof ChecksPlace>

/** The word that leaves the choice of the setup to the lockfile. */
export const automaticSetup = 'auto'

export const SetupCommand = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(4_000)
  .describe('The command that makes a fresh checkout runnable; auto: found from its lockfile')

/** A directory of the repository, from its top. */
export const CheckedPath = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(500)
  .refine((path) => !path.startsWith('/') && !path.startsWith('-') && !/(?:^|\/)\.\.(?:\/|$)|[\0\n\r]/.test(path), {
    error: 'must be a directory of the repository, such as packages/shop',
  })

/** How work on a repository is checked, in every run. */
export const RepositorySettings = z.object({
  path: z.string().describe('The top of the repository'),
  checks: ChecksPlace,
  setup: z
    .string()
    .nullable()
    .describe('The command that makes a fresh checkout runnable; null: found from its lockfile'),
  paths: z.array(z.string()).describe('The directories that a fresh checkout contains; empty: all'),
  updatedBy: z.string(),
  updatedAt: z.string(),
})
export type RepositorySettings = z.infer<typeof RepositorySettings>

/** Commands that the configuration allows outside any box. */
export const HostChecks = z.strictObject({
  commands: z.array(z.string().trim().min(1)).min(1).max(100),
  setup: z.string().trim().min(1).max(4_000).nullable().default(null),
})
export type HostChecks = z.infer<typeof HostChecks>

/** The settings that apply: those of the configuration, those that were set, or the defaults. */
export const RepositoryView = RepositorySettings.extend({
  updatedBy: z.string().nullable().describe('null: nothing was set'),
  updatedAt: z.string().nullable(),
  host: HostChecks.nullable().describe('From config.yaml'),
  questionId: z.string().nullable().describe('The open question about the checks of this repository'),
})
export type RepositoryView = z.infer<typeof RepositoryView>

const path = z.string().min(1).max(4_096).describe('A path in the repository, on the daemon’s machine')

export const SetRepository = z.strictObject({
  path,
  checks: ChecksPlace.exclude(['host']).optional().describe('host can only be set in config.yaml'),
  setup: SetupCommand.optional(),
  paths: z.array(CheckedPath).max(200).optional().describe('The directories to check out; empty: all'),
})
export type SetRepository = z.infer<typeof SetRepository>

export const repositorySettingsOperations = {
  list: operation({
    name: 'repository.list',
    summary: 'List the repositories whose work is checked in their own way',
    ...repositorySettingsEndpoints.list,
    input: z.strictObject({}),
    output: z.object({ repositories: z.array(RepositoryView) }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'repository.show',
    summary: 'Show how work on a repository is checked',
    ...repositorySettingsEndpoints.show,
    input: z.strictObject({ path }),
    output: RepositoryView,
    allow: ['operator'],
  }),
  set: operation({
    name: 'repository.set',
    summary: 'Set how work on a repository is checked; work that waits for it is checked again',
    ...repositorySettingsEndpoints.set,
    input: SetRepository,
    output: RepositoryView,
    allow: ['operator'],
  }),
}
