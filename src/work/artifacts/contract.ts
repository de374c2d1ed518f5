import { z } from 'zod'

import { type FileAnswer, operation } from '../../operations/contract.ts'
import { FilePart } from '../../workspaces/file-part.contract.ts'
import { artifactEndpoints } from './endpoints.ts'

/**
 * A file or a document of a run, kept by its hash; writing a name again adds a version. An attempt produced it, or an
 * author wrote it: a document of the operator belongs to no brief.
 */
export const Artifact = z.object({
  id: z.string(),
  runId: z.string(),
  briefId: z.string().nullable(),
  attemptId: z.string().nullable(),
  author: z.string().nullable().describe('operator, engine or seat:<id>; null: the attempt produced it'),
  name: z.string(),
  version: z.number().int(),
  path: z.string().describe('Inside the workspace'),
  sha256: z.string(),
  bytes: z.number().int(),
  content: z.string().nullable().describe('A document of the run itself, as JSON; null: a file'),
  at: z.string(),
})
export type Artifact = z.infer<typeof Artifact>

/** An artifact in a list, without its content. */
export const ArtifactEntry = Artifact.omit({ content: true }).extend({
  briefKey: z.string().nullable(),
  briefTitle: z.string().nullable(),
  isDocument: z.boolean().describe('A document of the run itself; false: a file of a workspace'),
  isAccepted: z.boolean().describe('Its brief is done with it, or an author wrote it'),
})
export type ArtifactEntry = z.infer<typeof ArtifactEntry>

export const ArtifactView = ArtifactEntry.extend({
  versions: z.array(ArtifactEntry).describe('All versions of this name, the newest first; at most 100'),
  foundIn: z
    .enum(['store', 'kept', 'workspace'])
    .nullable()
    .describe('Where its bytes are: in the store, in the copy of its check, or in its workspace. Null: nowhere'),
  problem: z.string().nullable().describe('Why its bytes cannot be read; null: they can'),
  kind: z.enum(['text', 'image', 'binary']).nullable().describe('By its bytes, whatever its name is'),
  part: FilePart.nullable(),
})
export type ArtifactView = z.infer<typeof ArtifactView>

const artifactId = z.string().max(100)

export const artifactOperations = {
  list: operation({
    name: 'artifact.list',
    summary: 'List the files and documents that a run has produced, with every version',
    ...artifactEndpoints.list,
    input: z.strictObject({ runId: z.string().describe('The id or a unique prefix') }),
    output: z.object({ artifacts: z.array(ArtifactEntry).describe('By name, the newest version first') }),
    allow: ['operator'],
  }),
  show: operation({
    name: 'artifact.show',
    summary: 'Show a file or a document that a run has produced, up to two megabytes at a time',
    ...artifactEndpoints.show,
    input: z.strictObject({
      artifactId,
      from: z.coerce.number().int().min(0).max(1e13).default(0),
      lines: z.coerce.number().int().min(1).max(100_000).optional().describe('Maximum number of lines of a text'),
    }),
    output: ArtifactView,
    allow: ['operator'],
  }),
  file: operation({
    name: 'artifact.file',
    summary: 'Download a file or a document that a run has produced, byte by byte as it was checked',
    ...artifactEndpoints.file,
    input: z.strictObject({ artifactId }),
    output: z.custom<FileAnswer>(),
    file: true,
    allow: ['operator'],
  }),
}
