import type { Db } from '../../db/port.ts'
import { resolveOrganisation } from '../../org/organisations/find.ts'
import { resolvePersona } from '../../org/personas/find.ts'
import type { Missions } from '../missions/service.ts'
import { resolveRun } from '../runs/find.ts'
import type { ModelCost } from './contract.ts'
import { listSpends, type SpendScope, sumByModel } from './store.ts'

export interface CostQuery {
  runId?: string | undefined
  missionId?: string | undefined
  organisation?: string | undefined
  persona?: string | undefined
  since?: string | undefined
}

export type Spends = ReturnType<typeof createSpends>

export function createSpends({ db, missions }: { db: Db; missions: Missions }) {
  return {
    async summary(query: CostQuery) {
      const missionId = query.missionId === undefined ? undefined : await missions.resolve(query.missionId)
      const models = await db.read(async (tx) => {
        const scope: SpendScope = {}
        if (query.runId !== undefined) scope.runId = await resolveRun(tx, query.runId)
        if (missionId !== undefined) scope.missionId = missionId
        if (query.organisation !== undefined)
          scope.organisationId = (await resolveOrganisation(tx, query.organisation)).id
        if (query.persona !== undefined) scope.personaId = (await resolvePersona(tx, query.persona)).id
        return sumByModel(tx, scope, query.since)
      })
      return { models, ...totalOf(models) }
    },

    list: (prefix: string, limit: number) =>
      db.read(async (tx) => ({ spends: await listSpends(tx, await resolveRun(tx, prefix), limit) })),
  }
}

function totalOf(models: readonly ModelCost[]) {
  const total = { calls: 0, unpricedCalls: 0, tokens: 0, costMicros: 0, simulatedCalls: 0, simulatedTokens: 0 }
  for (const model of models) {
    const tokens = model.inputTokens + model.outputTokens
    // A sum with simulated tokens would be a figure that was never paid and never used.
    if (model.simulated) {
      total.simulatedCalls += model.calls
      total.simulatedTokens += tokens
      continue
    }
    total.calls += model.calls
    total.unpricedCalls += model.unpricedCalls
    total.tokens += tokens
    total.costMicros += model.costMicros
  }
  return total
}
