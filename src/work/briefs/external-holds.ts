import type { ReadTx } from '../../db/port.ts'
import { isFull, refusedBy } from '../budgets/arithmetic.ts'
import { accountsOf } from '../budgets/moves.ts'
import { listAccountsAbove } from '../budgets/store.ts'
import type { Run } from '../runs/contract.ts'
import { listHolds, listStops, lookForObstacles } from '../stops/store.ts'
import type { Brief, WaitReason } from './contract.ts'
import { listBusySeats } from './ready-store.ts'

type Waiting = Pick<Brief, 'id' | 'status' | 'personaId' | 'positionId' | 'provider'>

/**
 * Finds reasons outside a run that hold its pending briefs: a stop, a provider that accepts no calls, a budget, a seat that
 * does other work.
 */
export async function externalHolds(
  tx: ReadTx,
  run: Pick<Run, 'id' | 'missionId' | 'organisationId' | 'status'>,
  briefs: readonly Waiting[],
  at: string,
): Promise<(brief: Waiting) => WaitReason | null> {
  const pending = briefs.filter((brief) => brief.status === 'pending')
  if (run.status !== 'running' || pending.length === 0) return () => null
  const { stopped, limited, budgeted } = await lookForObstacles(tx, run.organisationId)
  if (stopped) {
    const isEverywhere = (await listStops(tx)).some((stop) => stop.organisationId === null)
    return () => ({ kind: 'stop', subject: isEverywhere ? 'all' : `org:${run.organisationId}` })
  }
  const holds = new Map((limited ? await listHolds(tx, at) : []).map((hold) => [hold.provider, hold]))
  const personaIds = [...new Set(pending.map((brief) => brief.personaId))]
  const beneath = {
    runId: run.id,
    missionId: run.missionId,
    organisationId: run.organisationId,
    personaIds,
    briefIds: 'all' as const,
  }
  const accounts = budgeted ? await listAccountsAbove(tx, beneath) : []
  const busy = await listBusySeats(tx, [
    ...new Set(pending.flatMap(({ positionId }) => (positionId === null ? [] : [positionId]))),
  ])
  return (brief) => {
    const { provider, positionId } = brief
    const hold = holds.get(provider)
    if (hold !== undefined) return { kind: 'provider', subject: `${provider} until ${hold.until}` }
    const full = accountsOf(accounts, brief).filter(({ budget }) => isFull(budget))
    if (full.length === 0)
      return positionId !== null && busy.has(positionId) ? { kind: 'seat', subject: String(positionId) } : null
    const { by, isReserved } = refusedBy(full.map(({ budget }) => budget))
    return { kind: isReserved === true ? 'budget_reserved' : 'budget', subject: by }
  }
}
