import type { ReadTx } from '../../db/port.ts'
import { listAmendmentsOf } from '../amendments/store.ts'
import { listNamesOfBrief } from '../artifacts/store.ts'
import type { Run } from '../runs/contract.ts'
import { findLimitsOfBriefs, type OwnLimits } from '../budgets/store.ts'
import type { Brief, BriefView, HeldBrief } from './contract.ts'
import type { Reasons } from './held.ts'
import { listDependenciesOf } from './store.ts'

/** Returns one brief in full; a list of thousands would repeat the same goal with each. */
export async function showBrief(tx: ReadTx, run: Pick<Run, 'goalAnchor'>, brief: Brief & Reasons): Promise<BriefView> {
  const { personality } = brief.data
  return {
    ...(await showLimits(tx, brief)),
    goalAnchor: run.goalAnchor,
    ownerBriefId: brief.ownerId,
    agentPersonality: typeof personality === 'string' ? personality : null,
    dependsOn: (await listDependenciesOf(tx, brief.id)).map(({ afterId }) => afterId),
    outputs: await listNamesOfBrief(tx, brief.id),
    evidenceRequired: brief.evidence,
    amendments: brief.groupKey === null ? [] : await listAmendmentsOf(tx, brief.runId, brief.groupKey),
  }
}

const unlimited: OwnLimits = { tokenBudget: null, costLimitMicros: null }

export const withLimits = (brief: Brief & Reasons, limits: ReadonlyMap<string, OwnLimits>): HeldBrief => ({
  ...brief,
  ...(limits.get(brief.id) ?? unlimited),
})

export const showLimits = async (tx: ReadTx, brief: Brief & Reasons): Promise<HeldBrief> =>
  withLimits(brief, await findLimitsOfBriefs(tx, [brief.id]))
