import type { Db, ReadTx } from '../db/port.ts'
import type { Actor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { findOrganisation } from '../org/organisations/store.ts'
import { countOpenRuns } from '../work/runs/store.ts'
import { listHolds, listStops } from '../work/stops/store.ts'
import type { DaemonStatus } from './contract.ts'

export interface DaemonDeps {
  db: Db
  clock: Clock
  /** Returns the status without the running work, stops and holds. */
  about: () => Omit<DaemonStatus, 'running' | 'unpricedCalls' | 'stops' | 'providerHolds'>
  engine: { running(): number; examining(): number }
  slots: number
  createLink: (path: string) => { url: string; expiresAt: string }
  stop: () => void
}

export type DaemonService = ReturnType<typeof createDaemonService>

export function createDaemonService(deps: DaemonDeps) {
  return {
    status: async (): Promise<DaemonStatus> => {
      const { open, ...held } = await deps.db.read(async (tx) => ({
        open: await countOpenRuns(tx),
        stops: await listNamedStops(tx),
        providerHolds: await listHolds(tx, deps.clock.at()),
      }))
      return {
        ...deps.about(),
        running: { runs: open.runs, agents: deps.engine.running(), slots: deps.slots, checks: deps.engine.examining() },
        unpricedCalls: open.unpricedCalls,
        ...held,
      }
    },

    whoami: (by: Actor) => {
      const agent = by.kind === 'agent' ? by : null
      return {
        kind: agent === null ? ('operator' as const) : ('agent' as const),
        personaId: by.personaId,
        agentId: agent?.agentId ?? null,
        runId: agent?.runId ?? null,
        briefId: agent?.briefId ?? null,
        attemptId: agent?.attemptId ?? null,
      }
    },

    stop: () => {
      // The response is sent first, so that the caller learns that the request was accepted.
      setImmediate(deps.stop)
      return { stopping: true as const }
    },

    link: (path: string) => deps.createLink(path),
  }
}

async function listNamedStops(tx: ReadTx): Promise<DaemonStatus['stops']> {
  const named: DaemonStatus['stops'] = []
  for (const stop of await listStops(tx)) {
    const { organisationId } = stop
    const organisation = organisationId === null ? undefined : await findOrganisation(tx, organisationId)
    named.push({ ...stop, organisation: organisation?.slug ?? null })
  }
  return named
}
