import type { Brief } from '../briefs/contract.ts'
import type { Evidence } from '../evidence/contract.ts'

/** Reports whether the subject of a verifier still waits for its verdict: it was not cancelled or done again meanwhile. */
export const isWaitingFor = (judged: Brief, verifying: Brief): boolean =>
  judged.status === 'ready_for_verification' && judged.attempts === verifying.verifiesAttempt

/** Returns the evidence of a brief as agents see it: a verifier computes hashes from the files. */
export const evidenceForAgents = ({ kind, evidence }: Pick<Brief, 'kind' | 'evidence'>): Evidence[] =>
  kind === 'verify' ? evidence.map(withoutHash) : evidence

function withoutHash(evidence: Evidence): Evidence {
  if (evidence.kind !== 'file') return evidence
  const { sha256: _, ...rest } = evidence
  return rest
}
