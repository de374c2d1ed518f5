import { checkedInText, ranOutsideBox } from '../../kernel/checked-in.ts'
import { shorten } from '../../kernel/text.ts'
import type { Brief } from '../briefs/contract.ts'
import { describeEvidence } from '../evidence/contract.ts'
import type { Proof, ProofFinding } from './contract.ts'

/** Returns `3/4`: the number of items that hold, and of all. */
const tally = ({ findings }: Pick<Proof, 'findings'>): string =>
  `${findings.filter(({ passed }) => passed).length}/${findings.length}`

export const shortCommit = (commit: string): string => commit.slice(0, 12)

/** Describes a proof that holds, for the person who decides about the merge. */
export const heldText = (proof: Pick<Proof, 'findings' | 'head' | 'checkedIn'>): string =>
  proof.findings.length === 0
    ? unprovableText
    : `Evidence ${tally(proof)} holds on the merged result ${shortCommit(proof.head)} (${placeText(proof)}).`

/** Names the repairs that are a part of a result; they mended it only if it is proven now. */
export const repairText = (repairs: readonly Pick<Brief, 'key'>[], isProven: boolean): string => {
  const keys = repairs.map(({ key }) => key).join(', ')
  if (keys === '') return ''
  return isProven ? `The merged result was mended by ${keys}.` : `The merged result contains ${keys}.`
}

const placeText = ({ checkedIn, findings }: Pick<Proof, 'findings' | 'checkedIn'>): string =>
  [
    ...sameFilesText(findings),
    checkedIn === 'checkout' || checkedIn === null ? 'fresh checkout' : checkedInText[checkedIn],
    ...(findings.some((each) => ranOutsideBox({ ...each, kind: each.evidence.kind })) ? ['commands not boxed'] : []),
  ].join(', ')

/** Nothing may claim a check that did not run. */
const sameFilesText = (findings: readonly ProofFinding[]): string[] =>
  [...new Set(findings.flatMap(({ checkedFor }) => checkedFor ?? []))].map(
    (key) => `not run again: the same files were checked for ${key}`,
  )

/** Describes a proof that does not hold. */
export const brokenText = (proof: Pick<Proof, 'findings' | 'head'>): string =>
  `evidence ${tally(proof)} holds on the merged result ${shortCommit(proof.head)}: ${failedOf(proof).map(findingText).join('; ')}`

/** Describes a result that is merged only because a person decides so. */
export const unprovenText = ({ detail }: Pick<Proof, 'detail'>): string => `Not proven: ${detail ?? ''}`

export const failedOf = ({ findings }: Pick<Proof, 'findings'>): ProofFinding[] =>
  findings.filter(({ passed }) => !passed)

const findingText = ({ evidence, detail }: ProofFinding): string =>
  `${shorten(describeEvidence(evidence), 200)}: ${shorten(detail, 300)}`

export const unprovableText =
  'Not proven as a whole: no brief declares evidence that can be checked on the merged result.'
