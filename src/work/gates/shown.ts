import type { GateRow, GateShown } from './contract.ts'

/** Without the bookkeeping; who has approved so far matters only where several have to. */
export const shownGate = ({ approvalsNeeded, approvals, rejections: _, decidedAt: __, ...gate }: GateRow): GateShown =>
  approvalsNeeded > 1 ? { ...gate, approvalsNeeded, approvals } : gate
