import { AgencyError } from '../../kernel/errors.ts'
import type { CheckResult, Finding } from '../../work/evidence/record.ts'
import type { Workspace } from '../../workspaces/port.ts'
import { judgedWorkspace, workspaceRequest } from '../attempt/workspace.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'
import { checkEvidence, type EvidenceCheck } from '../evidence/check.ts'

/**
 * Looks at the files that a verifier has judged once more where its copy was made: a verdict about files that have
 * changed since says nothing about those that are delivered.
 */
export async function checkJudged(
  deps: EngineDeps,
  { run, brief }: Claimed,
  check: EvidenceCheck,
  result: CheckResult,
): Promise<CheckResult> {
  const judged = judgedWorkspace(run, brief)
  if (judged === null || result.findings.some(({ passed }) => !passed)) return result
  const { copyOf: _copied, ...request } = workspaceRequest(deps, run, brief)
  const files = await openJudged(deps, { ...request, ...judged })
  if (files === null) return { ...result, findings: result.findings.map(gone) }
  const { findings } = await checkEvidence({ ...check, files, workspace: files })
  return { ...result, findings: findings.map((finding) => (finding.passed ? finding : changed(finding))) }
}

const openJudged = (
  deps: EngineDeps,
  request: Parameters<EngineDeps['workspaces']['open']>[0],
): Promise<Workspace | null> =>
  deps.workspaces.open(request).catch((error: unknown) => {
    if (error instanceof AgencyError && error.code === 'not_found') return null
    throw error
  })

const changed = (finding: Finding): Finding => ({
  ...finding,
  detail: `${finding.detail}: the work was changed after it had been handed to its verifier`,
})

const gone = (finding: Finding): Finding => ({
  ...finding,
  passed: false,
  detail: 'the work that was judged no longer exists',
})
