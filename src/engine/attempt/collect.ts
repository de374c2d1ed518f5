import { shorten } from '../../kernel/text.ts'
import type { Report } from '../../work/attempts/contract.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { branchOf } from '../../work/briefs/branches.ts'
import type { Classified } from './classify.ts'
import type { EngineDeps } from '../deps.ts'

export interface CollectedEnd {
  classified: Classified
  /** What was collected; null: nothing was changed, or nothing may be. */
  commit: string | null
  /** It is as it was at its start: what an earlier attempt left counts no more. */
  isEmpty?: boolean
  /** What it changed: where its report names no outputs, these are. */
  files?: readonly string[]
  /** What the operator would have to allow. */
  denied: readonly { rule: string; what: string }[]
}

/**
 * Brings what an agent did in its clone into the mirror before anybody looks at it: what a check leaves behind is not
 * its work. What may not be there is sent back; what looks like a secret is the operator's to decide.
 */
export async function collectWork(
  deps: EngineDeps,
  run: Run,
  brief: Brief,
  workspace: Workspace,
  classified: Classified & { report: Report },
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
  })
  switch (collected.outcome) {
    case 'collected':
      return { classified, commit: collected.commit, files: collected.files, denied: [] }
    case 'empty':
      // What was merged before is not taken back by dropping commits.
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

const sentBack = (classified: Classified, detail: string): CollectedEnd => ({
  classified: { ...classified, outcome: 'bad_output', detail },
  commit: null,
  denied: [],
})
