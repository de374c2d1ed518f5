import type { Brief } from '../briefs/contract.ts'
import { isMet } from '../briefs/states.ts'
import type { Evidence } from '../evidence/contract.ts'
import type { Proof } from './contract.ts'

export interface ProvableEvidence {
  readonly evidence: Evidence
  /** The briefs that declare it, in the order of the plan. */
  readonly briefs: readonly Brief[]
}

/**
 * Lists the evidence that must hold for the merged result, each distinct item once, in the reverse order of the plan:
 * an item that held only because of the order in which the briefs worked fails. Reported outputs (`artifact`) and
 * commits (`git`) are properties of a brief's own branch: a later brief may rename a file, and a merge adds commits.
 */
export const provableEvidence = (briefs: readonly Brief[]): ProvableEvidence[] => evidenceOf(briefs, isProvable)

/** Lists the other evidence of the merged briefs, each distinct item once. */
export const unprovableEvidence = (briefs: readonly Brief[]): ProvableEvidence[] =>
  evidenceOf(briefs, (evidence) => !isProvable(evidence))

function evidenceOf(briefs: readonly Brief[], isWanted: (evidence: Evidence) => boolean): ProvableEvidence[] {
  const items = new Map<string, { evidence: Evidence; briefs: Brief[] }>()
  for (const brief of briefs.filter(isMerged).toReversed())
    for (const evidence of brief.evidence.filter(isWanted)) {
      const key = JSON.stringify(evidence)
      const item = items.get(key) ?? { evidence, briefs: [] }
      item.briefs.unshift(brief)
      items.set(key, item)
    }
  return [...items.values()]
}

const isMerged = ({ kind, status }: Brief): boolean => kind === 'work' && isMet(status)

const isProvable = ({ kind }: Evidence): boolean => kind !== 'artifact' && kind !== 'git'

/** Reports whether a proof has looked at all of this evidence. */
export function covers({ findings }: Pick<Proof, 'findings'>, items: readonly ProvableEvidence[]): boolean {
  const seen = new Set(findings.map(({ evidence }) => JSON.stringify(evidence)))
  return items.every(({ evidence }) => seen.has(JSON.stringify(evidence)))
}
