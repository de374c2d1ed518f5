import { type Change, inserted, record, updated } from '../../events/change.ts'
import type { LogLine, PartChange } from '../../playbooks/contract.ts'
import type { Part } from './contract.ts'
import { findPart, parts } from './store.ts'
import type { RunScope } from '../scope.ts'
import { logEvent } from '../runs/log.ts'

/** Creates or changes parts of a run, with the log line that describes the change. */
export async function changeParts(scope: RunScope, changed: readonly PartChange[], line: LogLine): Promise<void> {
  await record(scope.tx, logEvent(scope, line), await changesOf(scope, changed))
}

async function changesOf({ tx, run }: RunScope, changed: readonly PartChange[]): Promise<Change[]> {
  const changes: Change[] = []
  for (const { key, parent, status, data } of changed) {
    const known = await findPart(tx, run.id, key)
    if (known === undefined) {
      const made: Part = {
        runId: run.id,
        key,
        parent: parent ?? null,
        status: status ?? 'open',
        data: { ...data },
        head: null,
        domainHead: null,
        heldBy: null,
        createdAt: tx.at,
        updatedAt: tx.at,
      }
      changes.push(inserted(parts, made))
      continue
    }
    const patch: Partial<Part> = {
      ...(parent === undefined ? {} : { parent }),
      ...(status === undefined ? {} : { status }),
      ...(data === undefined ? {} : { data: { ...data } }),
      updatedAt: tx.at,
    }
    changes.push(updated(parts, known, patch))
  }
  return changes
}
