import { type CheckedIn, wasNotRun } from '../../src/kernel/checked-in.ts'
import { endOfOutput } from '../../src/kernel/text.ts'
import type { Claim, ProofSheet, SheetCheck, SheetFinding } from '../../src/work/proof-sheets/contract.ts'
import { startsProcesses } from '../../src/work/evidence/contract.ts'

/** One proof as the page shows it, whether it was checked for a brief or on the merged result. */
export interface ShownProof {
  readonly what: string
  readonly expects: readonly string[]
  readonly passed: boolean
  readonly detail: string
  readonly exitCode: number | null
  readonly output: string
  readonly sha256: string | null
  readonly setup: string | null
  readonly durationMs: number | null
  /** Null: nothing was started, so no box mattered. */
  readonly boxed: boolean | null
  readonly place: CheckedIn | null
  readonly commit: string | null
  readonly at: string | null
  readonly about: string
}

const roundText: Record<SheetCheck['round'], string> = {
  delivered: '',
  again: 'a second time',
  base_witnesses: 'with the tests and scripts of before the work',
  before: 'before the work began',
}

const boxOf = (found: SheetCheck | SheetFinding): boolean | null =>
  startsProcesses(found.evidence.kind) && !wasNotRun(found.detail) ? found.boxed : null

export const proofOfCheck = (check: SheetCheck, claim: Pick<Claim, 'checkedIn'>): ShownProof => ({
  ...check,
  boxed: boxOf(check),
  place: check.round === 'delivered' ? claim.checkedIn : null,
  commit: check.commitId,
  about: roundText[check.round],
})

export const proofOfFinding = (finding: SheetFinding, proof: ProofSheet['proofs'][number]): ShownProof => ({
  ...finding,
  sha256: finding.sha256 ?? null,
  setup: finding.setup ?? null,
  durationMs: finding.durationMs ?? null,
  boxed: boxOf(finding),
  place: finding.checkedFor === undefined ? proof.checkedIn : null,
  commit: proof.head,
  at: proof.endedAt ?? proof.createdAt,
  about:
    finding.checkedFor === undefined
      ? 'on the merged result'
      : `not run again: the same files were checked for ${finding.checkedFor}`,
})

/** Returns the proofs that count for a result: those of its merged commit, otherwise those of each brief by itself. */
export function decisiveProofs({ proofs, claims }: Pick<ProofSheet, 'proofs' | 'claims'>): {
  merged: ProofSheet['proofs'][number] | null
  proofs: ShownProof[]
} {
  const merged = proofs.find(({ status, findings }) => status !== 'cancelled' && findings.length > 0) ?? null
  return {
    merged,
    proofs:
      merged === null
        ? claims.flatMap((claim) =>
            claim.checks.filter(({ round }) => round === 'delivered').map((check) => proofOfCheck(check, claim)),
          )
        : merged.findings.map((finding) => proofOfFinding(finding, merged)),
  }
}

const longestLine = 100

/** Returns the last line that a proof printed: there a program says how it ended. */
export function lastLine(output: string): string | null {
  const line = endOfOutput(output, { lines: 5, characters: 4_000 })
    .split('\n')
    .findLast((each) => each.trim() !== '')
    ?.trim()
  if (line === undefined) return null
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1)}…`
}
