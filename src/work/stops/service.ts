import type { Db } from '../../db/port.ts'
import { create, deleted, record } from '../../events/change.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { refusal } from '../../kernel/errors.ts'
import { redact } from '../../secrets/redact.ts'
import { resolveOrganisation } from '../../org/organisations/find.ts'
import type { ProviderHold, Stop } from './contract.ts'
import { findStop, listHolds, listStops, providerHolds, scopeOfStop, stops } from './store.ts'

export interface StopDeps {
  db: Db
  /** Called after commit to interrupt the running agents of the stopped scope. */
  heed: () => void
}

export type Stops = ReturnType<typeof createStops>

export function createStops({ db, heed }: StopDeps) {
  const idOf = async (organisation: string | undefined): Promise<number | null> =>
    organisation === undefined ? null : (await db.read((tx) => resolveOrganisation(tx, organisation))).id

  const streamOf = (organisationId: number | null) =>
    organisationId === null ? ('system' as const) : (`org:${organisationId}` as const)

  return {
    list: () => db.read(async (tx) => ({ stops: await listStops(tx), providerHolds: await listHolds(tx, tx.at) })),

    async set(by: Actor, organisation: string | undefined, reason: string): Promise<Stop> {
      const organisationId = await idOf(organisation)
      const scope = scopeOfStop(organisationId)
      return db.write([streamOf(organisationId)], async (tx) => {
        tx.affectsOthers('agents')
        tx.afterCommit(heed)
        const already = await findStop(tx, scope)
        if (already !== undefined) return already
        const stop: Stop = { scope, organisationId, reason: redact(reason), by: actorName(by), at: tx.at }
        return create(tx, stops, stop, {
          kind: 'stop_set',
          by: actorName(by),
          code: 'STOP',
          message: `${organisationId === null ? 'everything' : organisation} is stopped${stop.reason === '' ? '' : `: ${stop.reason}`}`,
          data: { scope },
        })
      })
    },

    /**
     * Lifting the stop of everything also lifts provider holds, so that the operator does not have to wait for them.
     */
    async clear(by: Actor, organisation: string | undefined): Promise<{ lifted: Stop[]; released: ProviderHold[] }> {
      const organisationId = await idOf(organisation)
      const scope = scopeOfStop(organisationId)
      return db.write([streamOf(organisationId)], async (tx) => {
        const stop = await findStop(tx, scope)
        const released = organisationId === null ? await listHolds(tx, tx.at) : []
        if (stop === undefined && released.length === 0) {
          const others = (await listStops(tx)).map((each) => each.scope)
          throw refusal(
            'illegal_transition',
            `${organisationId === null ? 'nothing is stopped as a whole' : `${organisation} is not stopped`}`,
            others.length === 0 ? {} : { hint: `Stopped are: ${others.join(', ')}.`, data: { stopped: others } },
          )
        }
        for (const hold of released)
          await record(
            tx,
            {
              kind: 'provider_released',
              by: actorName(by),
              code: 'RESUMED',
              message: `${hold.provider} is retried before ${hold.until}`,
              data: { provider: hold.provider },
            },
            [deleted(providerHolds, hold)],
          )
        if (stop === undefined) return { lifted: [], released }
        await record(
          tx,
          {
            kind: 'stop_cleared',
            by: actorName(by),
            code: 'RESUMED',
            message: `${organisationId === null ? 'everything' : organisation} resumes`,
            data: { scope },
          },
          [deleted(stops, stop)],
        )
        return { lifted: [stop], released }
      })
    },
  }
}
