import { createHash } from 'node:crypto'

import { sourceOfBytes } from '../../workspaces/file-source.ts'
import type { CopiedWorkspace, FileSource, Workspaces } from '../../workspaces/port.ts'
import type { Artifact, ArtifactView } from './contract.ts'
import { type KeptFiles, maxKeptBytes } from './kept-files.ts'

export interface BytesDeps {
  readonly kept: KeptFiles | undefined
  readonly workspaces: Pick<Workspaces, 'source'>
}

export type FoundBytes =
  | { readonly foundIn: NonNullable<ArtifactView['foundIn']>; readonly source: FileSource }
  | { readonly foundIn: null; readonly problem: string }

/**
 * Finds the bytes of an artifact: those with its hash and no others. The copy that was made when its evidence was checked
 * comes first; its workspace has those of a file that was not kept, until later work changes it.
 */
export async function findBytes(
  { kept, workspaces }: BytesDeps,
  artifact: Artifact,
  from: CopiedWorkspace | null,
): Promise<FoundBytes> {
  if (artifact.content !== null) return { foundIn: 'store', source: sourceOfBytes(Buffer.from(artifact.content)) }
  const copy = (await kept?.open(artifact.sha256)) ?? null
  if (copy !== null && (await hasHash(copy, artifact))) return { foundIn: 'kept', source: copy }
  const own = from === null ? null : await workspaces.source(artifact.runId, from, artifact.path)
  if (own !== null && (await hasHash(own, artifact))) return { foundIn: 'workspace', source: own }
  const why = copy !== null ? damaged : artifact.bytes > maxKeptBytes ? tooLarge : notKept
  const where = own === null ? 'its workspace no longer has it' : 'it was changed in its workspace since'
  return { foundIn: null, problem: `${why}, and ${where}` }
}

const damaged = 'the copy that was kept is damaged'
const notKept = 'no copy of it was kept'
const tooLarge = `no copy of a file over ${maxKeptBytes / 1024 ** 2} MB is kept`

async function hasHash(source: FileSource, { bytes, sha256 }: Artifact): Promise<boolean> {
  if (source.bytes !== bytes) return false
  const hash = createHash('sha256')
  try {
    for await (const part of source.read()) hash.update(part)
  } catch {
    // It was changed or removed while it was read.
    return false
  }
  return hash.digest('hex') === sha256
}
