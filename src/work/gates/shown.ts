import type { GateRow, GateShown } from './contract.ts'

/** Without the bookkeeping; who has approved so far matters only where several have to. */
export const shownGate = ({ approvalsNeeded, approvals, rejections: _, decidedAt, ...gate }: GateRow): GateShown => ({
  ...gate,
  ...(approvalsNeeded > 1 ? { approvalsNeeded, approvals } : {}),
  ...(decidedAt === null ? {} : { decidedAt }),
})
