import type { Wording } from '../contract.ts'
import { documents, idOfWorkstream, isWorkstreamPart, squadNames, workstreamPart } from './base-names.ts'
import { authorOf } from './escalate-ladder.ts'

export const wording: Wording = {
  topTier: 't1',
  designTier: 't2',
  workTier: 't4',
  verifyTier: 't5',
  verifyPhase: 't5',
  approvalGates: ['t1_plan'],
  workstreamPart,
  workstreamOf: (part) => (isWorkstreamPart(part) ? idOfWorkstream(part) : null),
  verdictDocument: (part) => {
    const { workstream, squad } = squadNames(part)
    return documents.verdict(workstream, squad)
  },
  authorOf,
}
