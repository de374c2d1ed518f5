import type { GateRow, GateView } from './contract.ts'

/** Without the bookkeeping; who has approved so far matters only where several have to. */
export const gateView = ({ approvalsNeeded, approvals, rejections: _, decidedAt, ...gate }: GateRow): GateView => ({
  ...gate,
  ...(approvalsNeeded > 1 ? { approvalsNeeded, approvals } : {}),
  ...(decidedAt === null ? {} : { decidedAt }),
})
