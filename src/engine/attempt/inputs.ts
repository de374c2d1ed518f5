import type { Brief } from '../../work/briefs/contract.ts'
import { findDocuments } from '../../work/artifacts/store.ts'
import { ResultsRequest } from '../../work/results/contract.ts'
import { findResults } from '../../work/results/results.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * Resolves the inputs of a brief at its start. The row contains only the names of documents and a request for results:
 * the newest ones are read now. A step that may cast personas also receives the talent pool.
 */
export async function resolveInputs(deps: EngineDeps, run: Run, brief: Brief): Promise<Brief['inputs']> {
  if (brief.phase === null) return brief.inputs
  const { documents: names, results, ...inputs } = brief.inputs
  const tier = deps.playbooks.get(run.playbook)?.casts?.[brief.phase]
  const talent = tier === undefined ? undefined : deps.talentOf?.(tier, run)
  const request = ResultsRequest.safeParse(results)
  return {
    ...inputs,
    ...(Array.isArray(names) ? { documents: await contentsOf(deps, brief.runId, names.map(String)) } : {}),
    ...(request.success
      ? { results: await deps.db.read((tx) => findResults(tx, brief.runId, request.data)) }
      : results === undefined
        ? {}
        : { results }),
    ...(talent === undefined ? {} : { talent_pool: talent }),
  }
}

const contentsOf = (deps: EngineDeps, runId: string, names: readonly string[]): Promise<Record<string, unknown>> =>
  deps.db.read((tx) => findDocuments(tx, runId, names))
