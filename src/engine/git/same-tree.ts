import { startsProcesses } from '../../work/evidence/contract.ts'
import type { Proof } from '../../work/proofs/contract.ts'
import type { EarlierCheck } from '../../work/proofs/earlier-checks.ts'
import type { ProvableEvidence } from '../../work/proofs/evidence.ts'
import type { ProofEnd } from '../../work/proofs/finish.ts'
import type { RunRepository } from '../../work/runs/contract.ts'
import type { EngineDeps } from '../deps.ts'

/** A command may depend on the world outside of its checkout: after this time it runs again. */
const maxAgeMs = 10 * 60_000

/**
 * Resolves to the end of a proof whose evidence this process has just checked on the same files, for a brief; null if
 * there is no such check. Only a check by this process counts: the next one may have another configuration.
 */
export async function findSameTree(
  deps: EngineDeps,
  { repository, proof, earlier }: { repository: RunRepository; proof: Proof; earlier: readonly EarlierCheck[] },
  items: readonly ProvableEvidence[],
): Promise<ProofEnd | null> {
  if (deps.repositories === undefined) return null
  const { tree } = deps.repositories
  const recent = earlier.filter((check) => check.attempt.worker === deps.worker && isRecent(deps, check))
  for (const check of recent) {
    if ((await tree(repository.mirror, check.commit)) !== (await tree(repository.mirror, proof.head))) continue
    return { status: 'passed', checkedIn: 'checkout', findings: items.map((item) => findingOf(check, item)) }
  }
  return null
}

const isRecent = ({ clock }: EngineDeps, { checks, attempt }: EarlierCheck): boolean =>
  !checks.some(({ kind }) => startsProcesses(kind)) ||
  clock.nowMs() - Date.parse(attempt.endedAt ?? attempt.createdAt) <= maxAgeMs

function findingOf(
  { checks, brief }: EarlierCheck,
  { evidence, briefs }: ProvableEvidence,
): ProofEnd['findings'][number] {
  const key = JSON.stringify(evidence)
  const check = checks.find((each) => JSON.stringify(each.evidence) === key)
  if (check === undefined) throw new Error(`${brief.id} has no check of ${key}`)
  const { passed, detail, output, boxed, sha256, durationMs, setup } = check
  return {
    evidence,
    briefs: briefs.map((each) => each.key),
    passed,
    detail,
    output,
    boxed,
    sha256,
    durationMs,
    setup,
    checkedFor: brief.key,
  }
}
