import { createHash } from 'node:crypto'

import { inserted, record } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { redactDeeply } from '../../secrets/redact.ts'
import { artifacts, newestVersion } from './store.ts'
import type { Brief } from '../briefs/contract.ts'
import type { RunScope } from '../scope.ts'
import { eventTags } from '../briefs/moves.ts'

/** Stores the output of a step as a document of the run. */
export async function writeDocument(scope: RunScope, brief: Brief, name: string, content: unknown): Promise<void> {
  const { tx, run, ids } = scope
  if (brief.attemptId === null) throw bug(`${brief.id} has written "${name}" and was never launched`)
  const text = JSON.stringify(redactDeeply(content))
  const newest = await newestVersion(tx, run.id, name)
  const artifact = {
    id: ids.next('artifact'),
    runId: run.id,
    briefId: brief.id,
    attemptId: brief.attemptId,
    name,
    version: (newest?.version ?? 0) + 1,
    path: `${name}.json`,
    sha256: createHash('sha256').update(text).digest('hex'),
    bytes: Buffer.byteLength(text),
    content: text,
    at: tx.at,
  }
  await record(
    tx,
    {
      kind: 'artifact_written',
      by: scope.by,
      runId: run.id,
      briefId: brief.id,
      attemptId: brief.attemptId,
      ...eventTags(scope, brief),
      level: 'verbose',
      message: `${name}, ${artifact.bytes} bytes, version ${artifact.version}`,
      data: { artifact_id: artifact.id, sha256: artifact.sha256 },
    },
    [inserted(artifacts, artifact)],
  )
}
