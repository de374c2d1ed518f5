import { shorten } from '../../kernel/text.ts'
import type { Brief, Correction } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Claimed } from '../attempt/start.ts'
import { workspaceRequest } from '../attempt/workspace.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * Compares the place of a verifier with the work that it has judged. A verdict about files that the verifier has changed
 * says nothing about the delivered ones, whether it names them or not. Returns the verifier's fault, or null.
 */
export async function faultOfPlace(
  deps: EngineDeps,
  { run, brief }: Claimed,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Correction | null> {
  const changed = await changedFiles(deps, run, brief, workspace, signal)
  return changed.length === 0 ? null : changedByVerifier(changed)
}

async function changedFiles(
  deps: EngineDeps,
  run: Run,
  brief: Brief,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[]> {
  const { repository } = run
  if (repository === null) return deps.workspaces.changedInCopy(workspaceRequest(deps, run, brief))
  if (brief.startCommit === null || deps.repositories === undefined) return []
  return deps.repositories.compare(repository.mirror, brief.startCommit, workspace, signal)
}

const maxNamed = 10

const changedByVerifier = (changed: readonly string[]): Correction => {
  const named = changed.slice(0, maxNamed).map((path) => shorten(JSON.stringify(path), 200))
  const rest = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : ''
  return {
    evidence: 'the judged files',
    detail: `the verifier changed ${named.join(', ')}${rest} in its place; a verifier only reads. Judge the files as they were delivered; if a test or another tool rewrites one, restore it before you report, or run the tool in a copy outside this directory`,
  }
}
