import { shorten } from '../../kernel/text.ts'
import type { BranchParts } from '../contract.ts'
import { documents, idOfWorkstream, isWorkstreamPart, squadNames, workstreamPart } from './base-names.ts'
import { dataOfBrief } from './contract.ts'

/** A workstream has a branch, into which its tasks are merged; a domain joins its workstreams. */
export const branches: BranchParts = {
  partOf: ({ groupKey }) => (groupKey === null ? null : workstreamPart(groupKey)),
  nameOf: (part) => (isWorkstreamPart(part) ? idOfWorkstream(part) : null),
  taskOf: ({ key }) => (key.startsWith('t4:') ? key.split(':').slice(3).join('-') : key),
  ownsDomain: (brief) => dataOfBrief(brief).tier === 't2',
  heading: 'Workstreams',
  verdictDocument: (part) => {
    const { workstream, squad } = squadNames(part)
    return documents.verdict(workstream, squad)
  },
  verdictText: (part, document) => {
    const { workstream, squad } = squadNames(part)
    const { joint_verdict: verdict, summary } = document as Record<string, unknown>
    return `Verdict on ${workstream}/${squad}: ${String(verdict)}. ${shorten(String(summary ?? ''), 500)}`
  },
}
