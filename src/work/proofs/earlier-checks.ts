import type { ReadTx } from '../../db/port.ts'
import type { Attempt } from '../attempts/contract.ts'
import { findAttempt } from '../attempts/store.ts'
import type { Brief } from '../briefs/contract.ts'
import type { Check, Evidence } from '../evidence/contract.ts'
import { listChecksOfAttempts } from '../evidence/store.ts'
import { findRepositorySettings } from '../repository-settings/store.ts'
import type { Run } from '../runs/contract.ts'
import type { Proof } from './contract.ts'
import { type ProvableEvidence, provableEvidence } from './evidence.ts'
import { listProofs } from './store.ts'

/** The check of a brief that says the same as a proof would, if the files of the two commits are the same. */
export interface EarlierCheck {
  readonly brief: Brief
  /** The commit that was checked. */
  readonly commit: string
  readonly attempt: Attempt
  readonly checks: readonly Check[]
}

/**
 * Lists the briefs whose own check covered exactly the evidence of a proof, in the same order, in a fresh checkout, and
 * since whose start the settings of the repository are the same; the newest first. A result that was looked at before
 * is always checked again: somebody asked for it.
 */
export async function listEarlierChecks(
  tx: ReadTx,
  run: Run,
  proof: Proof,
  briefs: readonly Brief[],
): Promise<EarlierCheck[]> {
  if (run.repository === null || proof.cause !== 'merge') return []
  const items = provableEvidence(briefs)
  if (items.length === 0 || !items.every(isTreeBound)) return []
  const others = (await listProofs(tx, run.id)).filter(({ id, head }) => id !== proof.id && head === proof.head)
  if (others.some(({ status }) => status !== 'cancelled')) return []
  const settings = await findRepositorySettings(tx, run.repository.path)
  const found: EarlierCheck[] = []
  for (const brief of briefs.toReversed()) {
    const { attemptId, branchCommit: commit } = brief
    if (attemptId === null || commit === null || !isSame(provableEvidence([brief]), items)) continue
    const attempt = await findAttempt(tx, attemptId)
    if (attempt?.outcome !== 'ok' || attempt.checkedIn !== 'checkout') continue
    if (settings !== undefined && settings.updatedAt >= attempt.createdAt) continue
    const checks = await listChecksOfAttempts(tx, [attemptId])
    if (checks.every(({ passed }) => passed) && isSameList(checks.map(evidenceOf), brief.evidence))
      found.push({ brief, commit, attempt, checks })
  }
  return found
}

/** An answer of a server may depend on the time, and git looks at more than files. */
const isTreeBound = ({ evidence: { kind } }: ProvableEvidence): boolean => kind !== 'http' && kind !== 'git'

const evidenceOf = ({ evidence }: { evidence: Evidence }): Evidence => evidence

const isSame = (one: readonly ProvableEvidence[], other: readonly ProvableEvidence[]): boolean =>
  isSameList(one.map(evidenceOf), other.map(evidenceOf))

const isSameList = (one: readonly Evidence[], other: readonly Evidence[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
