import { checkedInText, ranOutsideBox } from '../../kernel/checked-in.ts'
import { shorten } from '../../kernel/text.ts'
import { describeEvidence } from '../evidence/contract.ts'
import { failedOf, shortCommit } from '../proofs/wording.ts'
import type { Repeat } from './contract.ts'

/** Describes the request of a repeat, for the log of the run. */
export const startText = ({ subject, commitId }: Repeat, branch: string): string =>
  `checking all evidence again on ${subjectText(subject, branch)} ${shortCommit(commitId)}`

const subjectText = (subject: Repeat['subject'], branch: string): string =>
  ({ merged: 'the merged commit', result: 'the result', branch: `${branch} as it is now,` })[subject]

/** Describes the end of a repeat in one line. */
export function endText(repeat: Repeat): string {
  const { status, findings, commitId } = repeat
  const detail = repeat.detail ?? ''
  if (status === 'cancelled') return detail
  if (status === 'unchecked') return `the evidence could not be checked again: ${detail}`
  const tally = `${findings.filter(({ passed }) => passed).length}/${findings.length}`
  if (status === 'passed') return `evidence ${tally} holds on ${shortCommit(commitId)} (${placeText(repeat)})`
  const failed = failedOf(repeat).map(
    (each) => `${shorten(describeEvidence(each.evidence), 200)}: ${shorten(each.detail, 300)}`,
  )
  return `evidence ${tally} holds on ${shortCommit(commitId)}: ${failed.join('; ')}`
}

const placeText = ({ checkedIn, findings }: Repeat): string =>
  [
    checkedIn === null ? 'fresh checkout' : checkedInText[checkedIn],
    ...(findings.some((each) => ranOutsideBox({ ...each, kind: each.evidence.kind })) ? ['commands not boxed'] : []),
  ].join(', ')
