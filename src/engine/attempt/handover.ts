import { posix } from 'node:path'

import type { InputSeen } from '../../work/attempts/contract.ts'
import { type AcceptedOutputs, listAcceptedOutputs } from '../../work/attempts/handed-store.ts'
import { isDirectoryName } from '../../workspaces/path.ts'
import type { HandedFile, WorkspaceRequest } from '../../workspaces/port.ts'
import type { EngineDeps } from '../deps.ts'
import type { Claimed } from './start.ts'

/** A file to hand over, with the attempt that made it. */
interface Handed extends HandedFile {
  readonly maker: Pick<AcceptedOutputs, 'briefId' | 'fence'>
}

/** The files that an attempt was handed, or why one of them cannot be handed over. */
export type HandedOver = { readonly inputsSeen: InputSeen[] } | { readonly refused: string }

/**
 * Hands the accepted outputs of other briefs over: they are laid read-only in the prepared workspace, each with the hash
 * of its check. Briefs that work in a mission's directory find the files of others there.
 */
export async function handOver(
  deps: EngineDeps,
  { run, brief }: Pick<Claimed, 'run' | 'brief'>,
  place: WorkspaceRequest,
): Promise<HandedOver> {
  if ((run.configuration.workspace ?? null) !== null) return { inputsSeen: [] }
  const accepted = await deps.db.read((tx) => listAcceptedOutputs(tx, brief))
  const files = filesOf(run, accepted)
  if (files.length === 0) return { inputsSeen: [] }
  const laid = await deps.workspaces.lay(place, files)
  return 'refused' in laid ? laid : { inputsSeen: laid.files.map(inputOf) }
}

/** Of a file that a brief and its rest have both reported, the later version counts. */
function filesOf({ repository }: Pick<Claimed['run'], 'repository'>, accepted: readonly AcceptedOutputs[]): Handed[] {
  const files = new Map<string, Handed>()
  for (const [index, { rootId, rootKey, runId, outputs, checkedIn, ...maker }] of accepted.entries()) {
    const folder = folderOf(rootKey, rootId)
    const from = { id: rootId, runId, directory: null }
    // The rest of a brief may rename the files of the first part.
    const hasRest = accepted.slice(index + 1).some((later) => later.rootId === rootId)
    // The files of a fresh checkout are in the commit, which is merged: a later brief may have removed one again.
    const isMerged = repository !== null && checkedIn === 'checkout'
    for (const { path: reported, sha256 } of outputs) {
      const path = posix.normalize(reported)
      const file: Handed = { from, folder, path, sha256, maker, ...(hasRest || isMerged ? { mayBeGone: true } : {}) }
      files.set(`${folder}/${path}`, file)
    }
  }
  return [...files.values()]
}

/** Returns the key of a brief, or the id of one whose key cannot be the name of a directory. */
const folderOf = (key: string, id: string): string => (isDirectoryName(key) ? key : id)

const inputOf = ({ folder: key, path, sha256, bytes, maker }: Handed & { bytes: number }): InputSeen => ({
  brief: maker.briefId,
  key,
  attempt: maker.fence,
  path,
  sha256,
  bytes,
})
