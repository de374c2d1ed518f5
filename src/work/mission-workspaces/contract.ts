import { z } from 'zod'

import { operation } from '../../operations/contract.ts'
import { OfOrganisation } from '../../org/references.contract.ts'
import { FilePart } from '../../workspaces/file-part.contract.ts'
import { workspaceEndpoints } from './endpoints.ts'

/**
 * The rights of processes in a workspace. `{mission_id}` in a pattern is the workspace itself; the most specific
 * pattern wins.
 */
export const WorkspaceRules = z.object({
  allowedWritePaths: z.array(z.string()),
  allowedReadPaths: z.array(z.string()),
  forbiddenPaths: z.array(z.string()).describe('Never writable'),
  network: z.object({ allowed: z.boolean(), allow: z.array(z.string()), block: z.array(z.string()) }),
  limits: z.object({
    maxProcesses: z.number().int(),
    maxMemoryMb: z.number().int(),
    maxDiskMb: z.number().int(),
    maxRuntimeMinutes: z.number(),
  }),
})
export type WorkspaceRules = z.infer<typeof WorkspaceRules>

/** The repository of the operator of which a workspace is a clone. */
export const WorkspaceRepository = z.object({
  path: z.string(),
  mirror: z.string(),
  branch: z.string().describe('Its own branch'),
  base: z.string().describe('The commit from which it started'),
})

/** The directory of a mission, below the workspace root. */
export const MissionWorkspace = z.object({
  id: z.string(),
  organisationId: z.number().int(),
  missionId: z.string(),
  path: z.string().describe('Below the workspace root: missions/<category>/[<kind>/]<slug>'),
  category: z.string(),
  repository: WorkspaceRepository.nullable(),
  policy: WorkspaceRules,
  status: z.enum(['active', 'removed']),
  log: z.string().describe('The content of .agency/log.jsonl when it was removed'),
  createdAt: z.string(),
  updatedAt: z.string(),
  removedAt: z.string().nullable(),
})
export type MissionWorkspace = z.infer<typeof MissionWorkspace>

const DiskUse = z.object({
  bytes: z.number().int(),
  files: z.number().int(),
  isPartial: z.boolean().describe('Whether there is more than was counted'),
})

export const WorkspaceView = MissionWorkspace.extend({
  directory: z.string().describe('Its directory on the daemon’s machine'),
  disk: DiskUse.nullable().describe('Null: it no longer exists'),
  busy: z.string().nullable().describe('The run that works in it'),
})
export type WorkspaceView = z.infer<typeof WorkspaceView>

export const FileEntry = z.object({
  name: z.string(),
  kind: z.enum(['file', 'directory', 'link', 'other']),
  bytes: z.number().int(),
  modifiedAt: z.string(),
})
export type FileEntry = z.infer<typeof FileEntry>

const missionId = z.string().describe('The mission: its id, or enough of its beginning to be the only one')
const Path = z.string().min(1).max(4_096)

export const CreateWorkspace = z.strictObject({
  missionId,
  path: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('<category>/[<kind>/]<slug>; categories are coding, research, design, or any other word'),
  repo: Path.optional().describe('A git repository on the daemon’s machine: the workspace is a clone of it'),
})
export type CreateWorkspace = z.infer<typeof CreateWorkspace>

export const CheckAccess = z.strictObject({
  missionId,
  access: z.enum(['write', 'read']),
  path: Path.describe('Absolute, or relative to the workspace'),
})
export type CheckAccess = z.infer<typeof CheckAccess>

export const workspaceOperations = {
  create: operation({
    name: 'workspace.create',
    summary: 'Create the workspace of a mission',
    ...workspaceEndpoints.create,
    input: CreateWorkspace,
    output: WorkspaceView,
    allow: ['operator'],
  }),
  list: operation({
    name: 'workspace.list',
    summary: 'List workspaces of missions with their disk use',
    ...workspaceEndpoints.list,
    input: z.strictObject({
      removed: z.stringbool().default(false).describe('Include removed workspaces'),
      organisationId: OfOrganisation,
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    output: z.object({ root: z.string(), workspaces: z.array(WorkspaceView) }),
    allow: ['operator'],
  }),
  disk: operation({
    name: 'workspace.disk',
    summary: 'Show the disk use of the workspace root, part by part',
    ...workspaceEndpoints.disk,
    input: z.strictObject({}),
    output: z.object({
      root: z.string(),
      freeBytes: z.number().int(),
      parts: z.array(DiskUse.extend({ path: z.string() })).describe('The largest first, at most 200'),
      total: DiskUse,
    }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'workspace.show',
    summary: 'Show a mission’s workspace: its directory, its rules, the run that works in it',
    ...workspaceEndpoints.show,
    input: z.strictObject({ missionId }),
    output: WorkspaceView,
    allow: ['operator'],
  }),
  files: operation({
    name: 'workspace.files',
    summary: 'List the files in a folder of a workspace',
    ...workspaceEndpoints.files,
    input: z.strictObject({ missionId, path: Path.default('.') }),
    output: z.object({
      path: z.string(),
      entries: z.array(FileEntry).describe('Folders first, by name; at most 5,000'),
      isPartial: z.boolean(),
    }),
    allow: ['operator'],
  }),
  file: operation({
    name: 'workspace.file',
    summary: 'Read a file of a workspace, up to two megabytes at a time',
    ...workspaceEndpoints.file,
    input: z.strictObject({ missionId, path: Path, from: z.coerce.number().int().min(0).max(1e13).default(0) }),
    output: FilePart,
    allow: ['operator'],
  }),
  check: operation({
    name: 'workspace.check',
    summary: 'Check whether a path may be written or read from inside a workspace, and by which rule',
    ...workspaceEndpoints.check,
    input: CheckAccess,
    output: z.object({
      allowed: z.boolean(),
      rule: z.string().describe('The rule that decided'),
      path: z.string().describe('The real path, links resolved'),
    }),
    allow: ['operator'],
  }),
  remove: operation({
    name: 'workspace.remove',
    summary: 'Remove a mission’s workspace; the mission and the log stay',
    ...workspaceEndpoints.remove,
    input: z.strictObject({
      missionId,
      force: z.stringbool().default(false).describe('Remove it even if the work in its clone cannot be kept'),
    }),
    output: z.object({
      workspace: MissionWorkspace,
      snapshot: z.string().nullable().describe('The ref in the mirror that holds uncommitted work'),
    }),
    allow: ['operator'],
  }),
}
