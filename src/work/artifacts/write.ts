import { createHash } from 'node:crypto'

import { inserted, record } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { redactDeeply } from '../../secrets/redact.ts'
import type { Artifact } from './contract.ts'
import { artifacts, newestVersion } from './store.ts'
import type { Brief } from '../briefs/contract.ts'
import type { RunScope } from '../scope.ts'
import { eventTags } from '../briefs/moves.ts'

/** Stores the output of a step as a document of the run. */
export async function writeDocument(scope: RunScope, brief: Brief, name: string, content: unknown): Promise<Artifact> {
  if (brief.attemptId === null) throw bug(`${brief.id} has written "${name}" and was never launched`)
  const place = { briefId: brief.id, attemptId: brief.attemptId, author: null }
  return write(scope, place, name, content, eventTags(scope, brief))
}

/** Stores a document of an author, such as `operator`, `engine` or `seat:<id>`, which no attempt produced. */
export const writeAuthored = (scope: RunScope, author: string, name: string, content: unknown): Promise<Artifact> =>
  write(scope, { briefId: null, attemptId: null, author }, name, content, {})

async function write(
  scope: RunScope,
  place: Pick<Artifact, 'briefId' | 'attemptId' | 'author'>,
  name: string,
  content: unknown,
  tags: ReturnType<typeof eventTags>,
): Promise<Artifact> {
  const { tx, run, ids } = scope
  const text = JSON.stringify(redactDeeply(content))
  const newest = await newestVersion(tx, run.id, name)
  const artifact: Artifact = {
    id: ids.next('artifact'),
    runId: run.id,
    ...place,
    name,
    version: (newest?.version ?? 0) + 1,
    path: `${name}.json`,
    sha256: createHash('sha256').update(text).digest('hex'),
    bytes: Buffer.byteLength(text),
    content: text,
    at: tx.at,
  }
  const { briefId, attemptId, author } = place
  await record(
    tx,
    {
      kind: 'artifact_written',
      by: scope.by,
      runId: run.id,
      briefId,
      attemptId,
      ...tags,
      level: 'verbose',
      message: `${name}, ${artifact.bytes} bytes, version ${artifact.version}${author === null ? '' : `, by ${author}`}`,
      data: { artifact_id: artifact.id, sha256: artifact.sha256, ...(author === null ? {} : { author }) },
    },
    [inserted(artifacts, artifact)],
  )
  return artifact
}
