import type { FileChange } from '../../repositories/port.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { othersOf } from './others.ts'
import { checksOf } from './place.ts'
import { findWitnessChanges, type WitnessChanges } from '../witnesses/find.ts'

/** Finds the changes of finished work on which the result of its own evidence may rest. */
export async function findWitnesses(
  deps: EngineDeps,
  { run, brief }: Claimed,
  commit: string | null,
): Promise<WitnessChanges & { readonly changes: readonly FileChange[] }> {
  const { repositories } = deps
  const { repository } = run
  const { startCommit: start } = brief
  if (repositories === undefined || repository === null || start === null || commit === null)
    return { changes: [], witnesses: [], newTests: [] }
  const { mirror } = repository
  const changes = await repositories.changes(mirror, { from: start, to: commit, others: othersOf(run, brief) })
  const found = await findWitnessChanges({
    start,
    changes,
    evidence: brief.evidence,
    setup: (await checksOf(deps, run)).setup,
    // The context of a rest quotes its agent, who must not ask itself for a file.
    asked: [brief.title, brief.objective, ...(brief.remainderOf === null ? [brief.context] : [])].join('\n'),
    read: (which, path) => repositories.text(mirror, which === 'start' ? start : commit, path),
    pathsAtStart: () => repositories.paths(mirror, start),
  })
  return { changes, ...found }
}
