import type { GateRow, GateView } from './contract.ts'

/** Omits internal columns; the list of approvals matters only if several are needed. */
export const gateView = ({
  approvalsNeeded,
  approvals,
  rejections: _rejections,
  pausedBy: _pausedBy,
  decidedAt,
  ...gate
}: GateRow): GateView => ({
  ...gate,
  ...(approvalsNeeded > 1 ? { approvalsNeeded, approvals } : {}),
  ...(decidedAt === null ? {} : { decidedAt }),
})
