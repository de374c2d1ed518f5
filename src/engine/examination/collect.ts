import { shorten } from '../../kernel/text.ts'
import type { Report } from '../../work/attempts/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import type { Classified } from '../attempt/classify.ts'
import type { EngineDeps } from '../deps.ts'
import { playbookOf } from '../../work/scope.ts'
import { faultOfScope, type Scope } from './scope.ts'
import { othersOf } from './others.ts'

export interface CollectedEnd {
  classified: Classified
  /** The collected commit; null: nothing was changed, or it may not be collected. */
  commit: string | null
  /** The clone is as it was at its start: the work of an earlier attempt no longer counts. */
  isEmpty?: boolean
  /** The changed files, which are the outputs of a report that names none. */
  files?: readonly string[]
  /** Findings that the operator would have to allow. */
  denied: readonly { rule: string; what: string }[]
}

/**
 * Brings the work of an agent from its clone into the mirror. The evidence is checked on the collected commit, and the
 * same commit is merged. Work that may not be collected is sent back; the operator decides about a possible secret.
 */
export async function collectWork(
  deps: EngineDeps,
  run: Run,
  brief: Brief,
  workspace: Workspace,
  classified: Classified & { report: Report },
  signal: AbortSignal,
): Promise<CollectedEnd> {
  const { repository } = run
  const nothing = { classified, commit: null, denied: [] }
  if (repository === null || brief.kind !== 'work' || deps.repositories === undefined || brief.startCommit === null)
    return nothing
  const collected = await deps.repositories.collect({
    repository,
    runId: run.id,
    briefId: brief.id,
    attemptId: brief.attemptId ?? brief.id,
    branch: branchOf(run, brief),
    workspace,
    start: brief.startCommit,
    message: `${shorten(brief.title, 72)}\n\n${classified.report.summary}`,
    allowed: brief.allowed,
    scope: { others: othersOf(run, brief), faultOf: (changes) => faultOfScope(scopeOf(deps, run, brief), changes) },
    signal,
  })
  switch (collected.outcome) {
    case 'collected':
      return { classified, commit: collected.commit, files: collected.files, denied: [] }
    case 'empty':
      // Merged work is not taken back by dropping commits.
      if (brief.branchCommit !== null && brief.rejectionReason !== null)
        return sentBack(classified, 'earlier merged work is still included: revert it with a separate commit')
      return brief.checkable
        ? { ...nothing, isEmpty: true }
        : sentBack(classified, 'nothing in the repository was changed')
    case 'refused':
      return sentBack(classified, collected.why)
    case 'secrets': {
      const detail = `its commits seem to contain a secret: ${collected.found.map(({ what }) => what).join('; ')}`
      return {
        classified: { ...classified, outcome: 'blocked', detail: shorten(detail, 1_000) },
        commit: null,
        denied: collected.found,
      }
    }
  }
}

/** Returns the files that a brief may change. */
export const scopeOf = (deps: EngineDeps, run: Run, brief: Brief): Scope => ({
  protected: run.configuration.protected ?? [],
  files: playbookOf(deps, run).describe?.(brief).files ?? [],
  brief,
})

const sentBack = (classified: Classified, detail: string): CollectedEnd => ({
  classified: { ...classified, outcome: 'bad_output', detail },
  commit: null,
  denied: [],
})
