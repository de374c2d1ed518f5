import type { Db, ReadTx } from '../../db/port.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { FileAnswer } from '../../operations/contract.ts'
import { filePart, firstLines, imageTypeOf, maxPartBytes } from '../../workspaces/file-part.ts'
import type { FilePart } from '../../workspaces/file-part.contract.ts'
import type { CopiedWorkspace, FileSource } from '../../workspaces/port.ts'
import type { Attempt } from '../attempts/contract.ts'
import { listAttempts } from '../attempts/store.ts'
import { isMet } from '../briefs/states.ts'
import { findBrief, listBriefs } from '../briefs/store.ts'
import type { Brief } from '../briefs/contract.ts'
import { findRun } from '../runs/store.ts'
import type { Artifact, ArtifactEntry, ArtifactView } from './contract.ts'
import { type BytesDeps, findBytes, type FoundBytes } from './find-bytes.ts'
import { findArtifact, listArtifacts } from './store.ts'

export type Artifacts = ReturnType<typeof createArtifacts>

export function createArtifacts(
  deps: BytesDeps & { readonly db: Db; readonly resolveRun: (prefix: string) => Promise<string> },
) {
  const { db } = deps

  const open = async (id: string) => {
    const { artifact, from } = await db.read(async (tx) => {
      const found = await findArtifact(tx, id)
      if (found === undefined) throw notFound('artifact', id, 'List them with "agency inspect <run> --artifacts".')
      const made = found.briefId === null ? undefined : await findBrief(tx, found.briefId)
      return { artifact: found, from: await placeOf(tx, made) }
    })
    return { artifact, found: await findBytes(deps, artifact, from) }
  }

  return {
    async list(prefix: string): Promise<{ artifacts: ArtifactEntry[] }> {
      const runId = await deps.resolveRun(prefix)
      return { artifacts: await db.read((tx) => listEntries(tx, runId)) }
    },

    async show(id: string, wanted: { from: number; lines?: number | undefined }): Promise<ArtifactView> {
      const { artifact, found } = await open(id)
      const entries = await db.read((tx) => listEntries(tx, artifact.runId))
      const versions = entries.filter(({ name }) => name === artifact.name)
      const own = versions.find((each) => each.id === artifact.id)
      if (own === undefined) throw notFound('artifact', id)
      return {
        ...own,
        versions: versions.slice(0, 100),
        foundIn: found.foundIn,
        ...(await contentOf(artifact, found, wanted)),
      }
    },

    async file(id: string): Promise<FileAnswer> {
      const { artifact, found } = await open(id)
      if (found.foundIn === null) throw unreadable(artifact, found.problem)
      const { path, bytes, sha256 } = artifact
      return { name: path, bytes, sha256, content: found.source.read() }
    },
  }
}

const unreadable = ({ name, version }: Artifact, problem: string) =>
  refusal('not_found', `version ${version} of "${name}" cannot be read: ${problem}`, {
    hint: 'Its hash and its size are still in the run.',
  })

/** The rest of a brief works where its work is. */
async function placeOf(tx: ReadTx, brief: Brief | undefined): Promise<CopiedWorkspace | null> {
  if (brief === undefined) return null
  const run = await findRun(tx, brief.runId)
  return { id: brief.remainderOf ?? brief.id, directory: run?.configuration.workspace ?? null }
}

async function listEntries(tx: ReadTx, runId: string): Promise<ArtifactEntry[]> {
  const made = await listArtifacts(tx, runId)
  const briefs = new Map((await listBriefs(tx, runId)).map((brief) => [brief.id, brief]))
  const isMerged = ((await findRun(tx, runId))?.repository ?? null) !== null
  const accepted = acceptedOf(await listAttempts(tx, runId), briefs, isMerged)
  return made
    .map(({ content, ...artifact }) => ({
      ...artifact,
      briefKey: briefs.get(artifact.briefId ?? '')?.key ?? null,
      briefTitle: briefs.get(artifact.briefId ?? '')?.title ?? null,
      isDocument: content !== null,
      isAccepted: accepted({ content, ...artifact }),
    }))
    .sort((a, b) => (a.name === b.name ? b.version - a.version : a.name < b.name ? -1 : 1))
}

/**
 * Reports whether the brief of an artifact is done with it. A verifier may have refused an earlier attempt of the brief,
 * whose files count only if the newest one has delivered the same again: an equal version is recorded once. With a
 * repository, the newest attempt may have named its last changes only, and the merge has all others too.
 */
function acceptedOf(
  attempts: readonly Attempt[],
  briefs: ReadonlyMap<string, Brief>,
  isMerged: boolean,
): (artifact: Artifact) => boolean {
  const finished = attempts.filter(
    ({ outcome, briefId }) => hasWork(outcome) && isMet(briefs.get(briefId)?.status ?? 'failed'),
  )
  const newest = new Map<string, Attempt>()
  for (const attempt of finished)
    if (attempt.fence >= (newest.get(attempt.briefId)?.fence ?? 0)) newest.set(attempt.briefId, attempt)
  const ofBriefs = new Set(finished.map(({ id }) => id))
  const counted = new Set([...newest.values()].map(({ id }) => id))
  const delivered = [...newest.values()].flatMap(({ outputs }) => outputs)
  const contents = new Set(delivered.map(contentKey))
  const paths = new Set(delivered.map(({ path }) => path))
  const isStanding = ({ content, name, sha256 }: Artifact): boolean =>
    content !== null || contents.has(contentKey({ path: name, sha256 })) || (isMerged && !paths.has(name))
  return (artifact) =>
    artifact.attemptId === null ||
    counted.has(artifact.attemptId) ||
    (ofBriefs.has(artifact.attemptId) && isStanding(artifact))
}

const contentKey = ({ path, sha256 }: { path: string; sha256: string }): string => `${sha256} ${path}`

const hasWork = (outcome: string | null): boolean => outcome === 'ok' || outcome === 'partial_output'

async function contentOf(
  { path }: Artifact,
  found: FoundBytes,
  { from, lines }: { from: number; lines?: number | undefined },
): Promise<Pick<ArtifactView, 'problem' | 'kind' | 'part'>> {
  if (found.foundIn === null) return { problem: found.problem, kind: null, part: null }
  const { source } = found
  const bytes = await readBytes(source, from, from + maxPartBytes)
  const part: FilePart = filePart({ path, bytes: source.bytes, from }, bytes)
  const head = from === 0 ? bytes : await readBytes(source, 0, 16)
  const kind = part.encoding === 'utf8' ? 'text' : imageTypeOf(head) === null ? 'binary' : 'image'
  return { problem: null, kind, part: lines === undefined ? part : firstLines(part, lines) }
}

async function readBytes(source: FileSource, from: number, to: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of source.read(from, to)) parts.push(part)
  return Buffer.concat(parts)
}
