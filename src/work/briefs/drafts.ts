import { type Change, deleted, inserted, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { LogLine, Revised } from '../../playbooks/contract.ts'
import type { Brief } from './contract.ts'
import { changeHolds, isMetBy } from './holds.ts'
import { isMet } from './states.ts'
import { dependencies, findBrief, findBriefByKey, listDependenciesOf } from './store.ts'
import { checkData } from './create.ts'
import { requiresOf } from './dependents.ts'
import type { RunScope } from '../scope.ts'
import { log } from '../runs/log.ts'
import { moveBrief, nameOf, touchBrief } from './moves.ts'

/** Replaces a draft by its author's newest version. */
export async function reviseDraft(scope: RunScope, stale: Brief, draft: Revised): Promise<void> {
  const brief = await current(scope, stale)
  const { run } = scope
  const waits = await waitFor(scope, brief, draft.after ?? [])
  const evidence = [...run.configuration.evidence, ...(draft.evidence ?? [])]
  await touchBrief(
    scope,
    brief,
    `${nameOf(scope, brief)} is revised`,
    {
      title: shorten(draft.title, 120),
      objective: draft.objective,
      data: checkData(scope, brief.key, { ...brief.data, ...draft.data }),
      evidence: evidence.length === 0 ? [{ kind: 'artifact' }] : evidence,
      checkable: evidence.length > 0,
      ...waits.patch,
    },
    waits.changes,
  )
}

/** Adds inputs or dependencies to a brief that has not started. */
export async function amendBrief(
  scope: RunScope,
  stale: Brief,
  given: { inputs?: Readonly<Record<string, unknown>>; after?: readonly string[] },
): Promise<void> {
  const brief = await current(scope, stale)
  const waits = given.after === undefined ? null : await waitFor(scope, brief, given.after)
  await touchBrief(
    scope,
    brief,
    `${nameOf(scope, brief)} is amended before it starts`,
    {
      inputs: { ...brief.inputs, ...given.inputs },
      ...waits?.patch,
    },
    waits?.changes,
  )
}

/** Makes these the only dependencies of a brief. */
async function waitFor(
  scope: RunScope,
  brief: Brief,
  keys: readonly string[],
): Promise<{ patch: Partial<Brief>; changes: Change[] }> {
  const { tx, run } = scope
  const known = await listDependenciesOf(tx, brief.id)
  const edges: Change[] = []
  const unmet = new Set<string>()
  const kept = new Set<string>()
  for (const key of new Set(keys)) {
    const before = await findBriefByKey(tx, run.id, key)
    if (before === undefined) throw bug(`${brief.key} waits for "${key}", which does not exist`)
    kept.add(before.id)
    const met = isMet(before.status, requiresOf(scope))
    if (!met) unmet.add(before.id)
    const edge = known.find(({ afterId }) => afterId === before.id)
    if (edge === undefined)
      edges.push(inserted(dependencies, { runId: run.id, briefId: brief.id, afterId: before.id, met }))
    else if (edge.met !== met) edges.push(updated(dependencies, edge, { met }))
  }
  edges.push(...known.filter(({ afterId }) => !kept.has(afterId)).map((edge) => deleted(dependencies, edge)))
  // A failed dependency may have been replaced.
  const holds = await changeHolds(tx, brief, { release: isMetBy(unmet) })
  return { patch: { unmetDependencies: unmet.size, ...holds.patch }, changes: [...edges, ...holds.changes] }
}

export async function commitDrafts(scope: RunScope, drafts: readonly Brief[], by: string): Promise<void> {
  for (const stale of drafts) {
    const brief = await current(scope, stale)
    await moveBrief(scope, brief, 'committed', {
      kind: 'tasks_committed',
      level: 'verbose',
      message: `${nameOf(scope, brief)} is committed`,
      data: { author: by },
    })
  }
}

export async function reopenDrafts(scope: RunScope, drafts: readonly Brief[], by: string): Promise<void> {
  for (const stale of drafts) {
    const brief = await current(scope, stale)
    await moveBrief(scope, brief, 'draft', {
      kind: 'tasks_reopened',
      level: 'verbose',
      message: `${nameOf(scope, brief)} is open again`,
      data: { author: by },
    })
  }
}

/** Makes drafts pending: no list of tasks can change any more, and those without dependencies may start. */
export async function releaseDrafts(scope: RunScope, drafts: readonly Brief[], told: LogLine): Promise<void> {
  await log(scope, { kind: 'all_committed', ...told })
  for (const stale of drafts) {
    const brief = await current(scope, stale)
    await moveBrief(scope, brief, 'pending', {
      kind: 'all_committed',
      level: 'verbose',
      message: `${nameOf(scope, brief)} may start`,
    })
  }
}

/** Reads the row as the preceding decision left it. */
const current = async (scope: RunScope, stale: Brief): Promise<Brief> => (await findBrief(scope.tx, stale.id)) ?? stale
