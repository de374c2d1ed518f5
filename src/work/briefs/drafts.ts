import { type Change, deleted, inserted, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import { shorten } from '../../kernel/text.ts'
import type { Decision, Revised } from '../../playbooks/contract.ts'
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

/** Moves drafts: their author commits them or opens them again; released ones may start, and their list is fixed. */
export async function moveDrafts(
  scope: RunScope,
  { briefs, to, by, event }: Omit<Extract<Decision, { kind: 'move_drafts' }>, 'kind'>,
): Promise<void> {
  const { kind, text } = draftMoves[to]
  if (event !== undefined) await log(scope, { kind, ...event })
  for (const stale of briefs) {
    const brief = await current(scope, stale)
    await moveBrief(scope, brief, to, {
      kind,
      level: 'verbose',
      message: `${nameOf(scope, brief)} ${text}`,
      ...(by === undefined ? {} : { data: { author: by } }),
    })
  }
}

const draftMoves = {
  committed: { kind: 'tasks_committed', text: 'is committed' },
  draft: { kind: 'tasks_reopened', text: 'is open again' },
  pending: { kind: 'all_committed', text: 'may start' },
} as const

/** Reads the row as the preceding decision left it. */
const current = async (scope: RunScope, stale: Brief): Promise<Brief> => (await findBrief(scope.tx, stale.id)) ?? stale
