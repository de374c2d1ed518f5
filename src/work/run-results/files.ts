import type { ReadTx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import type { Repositories } from '../../repositories/port.ts'
import { redact } from '../../secrets/redact.ts'
import type { Artifact } from '../artifacts/contract.ts'
import type { Claim } from '../proof-sheets/contract.ts'
import type { ChangedFile } from '../pull-requests/contract.ts'
import type { ResultFile, RunResult } from './contract.ts'
import { listNewestFiles, listVersions } from './store.ts'

/** Two commits of a mirror. */
export interface ChangeRange {
  readonly mirror: string
  readonly from: string
  readonly to: string
}

export interface Changes {
  readonly files: readonly ChangedFile[]
  readonly diff: RunResult['diff']
  readonly fault: string | null
}

const shownFiles = 200

/** Lists the changes between two commits. A mirror that was removed or damaged is a fact of the result, not a failure of the request. */
export async function readChanges(repositories: Repositories | undefined, range: ChangeRange | null): Promise<Changes> {
  if (range === null || repositories === undefined) return { files: [], diff: null, fault: null }
  try {
    const files = await repositories.files(range.mirror, range.from, range.to)
    return { files, diff: sum(files), fault: null }
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    return { files: [], diff: null, fault: `git cannot read the changes any more: ${shorten(redact(line), 300)}` }
  }
}

const sum = (files: readonly ChangedFile[]): NonNullable<RunResult['diff']> => ({
  files: files.length,
  added: files.reduce((total, { added }) => total + added, 0),
  removed: files.reduce((total, { removed }) => total + removed, 0),
})

/** Lists the changed files of a result with their recorded versions, then the outputs that git does not show. */
export async function listFiles(
  tx: ReadTx,
  runId: string,
  changed: readonly ChangedFile[],
  claims: readonly Claim[],
): Promise<Pick<RunResult, 'files' | 'filesTotal'>> {
  const known = new Set(changed.map(({ path }) => path))
  const outputs = claims.flatMap(({ briefId, outputs: made }) =>
    made.filter(({ path }) => !known.has(path)).map((output) => ({ ...output, briefId })),
  )
  const shownChanges = changed.slice(0, shownFiles)
  const shownOutputs = outputs.slice(0, shownFiles - shownChanges.length)
  const newest = await listNewestFiles(
    tx,
    runId,
    shownChanges.map(({ path }) => path),
  )
  const byPath = new Map(newest.map((artifact) => [artifact.name, artifact]))
  // Two briefs may have made files of one name, each in a workspace of its own: the content tells them apart.
  const versions = await listVersions(tx, runId, shownOutputs)
  const byContent = new Map(versions.map((artifact) => [`${artifact.sha256} ${artifact.name}`, artifact]))
  return {
    files: [
      ...shownChanges.map(({ path, ...change }): ResultFile => ({
        ...fileOf(path, change.status === 'deleted' ? undefined : byPath.get(path)),
        change,
      })),
      ...shownOutputs.map(({ path, sha256, briefId }): ResultFile => ({
        ...fileOf(path, byContent.get(`${sha256} ${path}`)),
        sha256,
        briefId,
        change: null,
      })),
    ],
    filesTotal: changed.length + outputs.length,
  }
}

const fileOf = (path: string, artifact: Artifact | undefined): Omit<ResultFile, 'change'> => ({
  path,
  briefId: artifact?.briefId ?? null,
  artifactId: artifact?.id ?? null,
  version: artifact?.version ?? null,
  bytes: artifact?.bytes ?? null,
  sha256: artifact?.sha256 ?? null,
})
