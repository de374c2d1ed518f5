import type { Brief } from '../../work/briefs/contract.ts'
import { newestDocument } from '../../work/artifacts/store.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * What a brief is given when it starts. Documents are named in its row and read now, so that no row carries them about
 * and their newest version counts; who may name somebody of the talent pool sees who is in it.
 */
export async function resolveInputs(deps: EngineDeps, run: Run, brief: Brief): Promise<Brief['inputs']> {
  if (brief.phase === null) return brief.inputs
  const { documents: names, ...inputs } = brief.inputs
  const tier = deps.playbooks.get(run.playbook)?.casts?.[brief.phase]
  const talent = tier === undefined ? undefined : deps.talentOf?.(tier, run)
  return {
    ...inputs,
    ...(Array.isArray(names) ? { documents: await contentsOf(deps, brief.runId, names.map(String)) } : {}),
    ...(talent === undefined ? {} : { talent_pool: talent }),
  }
}

const contentsOf = (deps: EngineDeps, runId: string, names: readonly string[]): Promise<Record<string, unknown>> =>
  deps.db.read(async (tx) => {
    const contents: Record<string, unknown> = {}
    for (const name of names) {
      const content = await newestDocument(tx, runId, name)
      if (content !== null) contents[name] = JSON.parse(content)
    }
    return contents
  })
