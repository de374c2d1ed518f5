import type { ReadTx } from '../../db/port.ts'
import { withDecisions } from '../decisions/show.ts'
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

/** Returns gates with the decisions that wait to take effect, or could not. */
export const viewsOf = (tx: ReadTx, rows: readonly GateRow[]): Promise<GateView[]> =>
  withDecisions(tx, rows.map(gateView), ({ id, decidedAt = null }) => ({ id, decidedAt }))
