import { appendEvent } from '../../events/append.ts'
import { type Change, inserted, record, updated } from '../../events/change.ts'
import type { PartChange, Told } from '../../playbooks/contract.ts'
import type { Part } from './contract.ts'
import { findPart, parts } from './store.ts'
import { type RunScope } from '../scope.ts'
import { eventTags } from '../briefs/moves.ts'

/** A line of the live log, with what the playbook wants to remember from there on. */
export async function tell(scope: RunScope, told: Told, changed: readonly PartChange[] = []): Promise<void> {
  const { tx, run } = scope
  const place = told.brief === undefined ? {} : eventTags(told.brief)
  const event = {
    kind: told.kind ?? ('log' as const),
    by: told.by ?? scope.by,
    runId: run.id,
    ...place,
    ...(told.brief === undefined ? {} : { briefId: told.brief.id, attemptId: told.brief.attemptId }),
    ...(told.tier === undefined ? {} : { tier: told.tier }),
    ...(told.workstream === undefined ? {} : { workstream: told.workstream }),
    ...(told.code === undefined ? {} : { code: told.code }),
    level: told.level ?? ('normal' as const),
    message: told.message,
    data: { ...told.data },
  }
  const changes = await changesOf(scope, changed)
  if (changes.length === 0) await appendEvent(tx, `run:${run.id}`, event)
  else await record(tx, event, changes)
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
