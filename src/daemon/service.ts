import type { Db, ReadTx } from '../db/port.ts'
import type { Actor } from '../kernel/actor.ts'
import type { Clock } from '../kernel/clock.ts'
import { countDeadJobs } from '../jobs/store.ts'
import { findOrganisation } from '../org/organisations/store.ts'
import { countOpenRuns } from '../work/runs/store.ts'
import type { Runs } from '../work/runs/service.ts'
import { countOpenProposals } from '../org/proposals/store.ts'
import { countOperatorsGates } from '../work/gates/store.ts'
import { countOperatorsQuestions } from '../work/questions/store.ts'
import { listHolds, listStops } from '../work/stops/store.ts'
import type { DaemonStatus, SignInLink } from './contract.ts'

export interface DaemonDeps {
  db: Db
  clock: Clock
  /** Returns the status without the running work, stops and holds. */
  about: () => Omit<
    DaemonStatus,
    'running' | 'waiting' | 'waitingForYou' | 'unpricedCalls' | 'deadJobs' | 'stops' | 'providerHolds'
  >
  runs: Pick<Runs, 'list'>
  engine: { running(): number; examining(): number }
  slots: number
  createLink: (path: string, options: { file: boolean }) => SignInLink
  stop: () => void
}

export type DaemonService = ReturnType<typeof createDaemonService>

export function createDaemonService(deps: DaemonDeps) {
  return {
    status: async (): Promise<DaemonStatus> => {
      const { open, waitingForYou, ...held } = await deps.db.read(async (tx) => ({
        open: await countOpenRuns(tx),
        waitingForYou: await countForOperator(tx),
        deadJobs: await countDeadJobs(tx),
        stops: await listNamedStops(tx),
        providerHolds: await listHolds(tx, tx.at),
      }))
      return {
        ...deps.about(),
        running: { runs: open.runs, agents: deps.engine.running(), slots: deps.slots, checks: deps.engine.examining() },
        waitingForYou,
        waiting: await listWaiting(deps),
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

    link: ({ path, file }: { path: string; file: boolean }) => deps.createLink(path, { file }),
  }
}

/** As many as fit on a screen beside the rest; "agency runs" lists all. */
async function listWaiting({ runs }: DaemonDeps): Promise<DaemonStatus['waiting']> {
  const listed = await runs.list({ order: 'open_first', limit: 20 })
  return listed.runs.flatMap(({ id, waitsFor }) => (waitsFor === null ? [] : [{ runId: id, waitsFor }])).slice(0, 5)
}

/** Counts what the inbox shows: gates, paused runs, questions and proposals. */
const countForOperator = async (tx: ReadTx): Promise<number> =>
  (await countOperatorsGates(tx)) + (await countOperatorsQuestions(tx)) + (await countOpenProposals(tx))

async function listNamedStops(tx: ReadTx): Promise<DaemonStatus['stops']> {
  const named: DaemonStatus['stops'] = []
  for (const stop of await listStops(tx)) {
    const { organisationId } = stop
    const organisation = organisationId === null ? undefined : await findOrganisation(tx, organisationId)
    named.push({ ...stop, organisation: organisation?.slug ?? null })
  }
  return named
}
