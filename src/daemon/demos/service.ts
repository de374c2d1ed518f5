import type { Db } from '../../db/port.ts'
import type { Jobs } from '../../jobs/queue.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Gates } from '../../work/gates/service.ts'
import type { CreateRun, Run } from '../../work/runs/contract.ts'
import type { Runs } from '../../work/runs/service.ts'
import type { PlayDemo } from './contract.ts'
import { directDemo, tieredDemo } from './plays.contract.ts'

/** Kept for ever, unlike the keys of requests: an installation plays its first demonstration once in its life. */
export const firstDemoKey = 'demo:tiered'

export interface DemoDeps {
  db: Db
  clock: Clock
  log: Log
  jobs: Pick<Jobs, 'enqueue' | 'handle'>
  /** A repository of this name for a demonstration to work on; resolves to its path. */
  makeRepository: (name: string) => Promise<string>
  runs: Runs
  gates: Gates
}

export type Demos = ReturnType<typeof createDemos>

/** Long enough to read what a gate asks. */
const readingMs = 1_500
const lookMs = 1_000
/** Nobody watches a demonstration for longer: what is still open then is left to whoever finds it. */
const longestMs = 30 * 60_000

/** Runs of simulated agents, so that somebody sees the whole thing alive. Before the queue starts. */
export function createDemos(deps: DemoDeps) {
  const { db, clock, log, jobs, makeRepository, runs } = deps
  const watched = new Set<string>()
  jobs.handle(jobKind, async ({ payload }) => {
    const runId = String(payload)
    const nextMs = await lookAtGates(deps, runId)
    if (nextMs === null) watched.delete(runId)
    else await watchGates(runId, nextMs)
  })

  async function createRun(by: Actor, { playbook, profile, manual }: PlayDemo, place: string): Promise<Run> {
    const run = await runs.create(by, playbook === 'direct' ? directDemo : await tiered(profile, place))
    if (!manual) await watchGates(run.id)
    return run
  }

  /** Without git it is played all the same, only that nothing is merged in the end. */
  async function tiered(profile: PlayDemo['profile'], place: string): Promise<CreateRun> {
    try {
      return tieredDemo(profile, await makeRepository(place))
    } catch (error) {
      log.warn('the demonstration has no repository', { error: String(error) })
      return tieredDemo(profile, null)
    }
  }

  const watchGates = (runId: string, delayMs = 0): Promise<unknown> => {
    watched.add(runId)
    return db.write([], (tx) => jobs.enqueue(tx, { kind: jobKind, payload: runId, singleton: runId, delayMs }))
  }

  return {
    /** Whether its gates are approved for it: then they wait for nobody, and nobody needs to be told. */
    approves: (runId: string): boolean => watched.has(runId),

    play: (by: Actor, input: PlayDemo): Promise<Run> =>
      createRun(by, input, `${input.profile}-${clock.at().replace(/\D/g, '')}`),

    /** Once in the life of an installation. Killed half-way, it goes on at the next start. */
    async first(by: Actor): Promise<Run> {
      const input = await tiered('full', 'first')
      const run = await db.once(firstDemoKey, 'demo', () => runs.create(by, input))
      const { endedAt } = await runs.show(run.id)
      if (endedAt === null) await watchGates(run.id)
      return run
    },
  }
}

const jobKind = 'demo_gates'

/** Stands in for the operator, after a moment, and says so. A person who decides first is welcome. */
async function lookAtGates({ clock, runs, gates, log }: DemoDeps, runId: string): Promise<number | null> {
  const { endedAt, startedAt } = await runs.show(runId)
  if (endedAt !== null || clock.nowMs() - Date.parse(startedAt) > longestMs) return null
  const pending = (await gates.ofRun(runId)).gates.find(
    ({ status, approver }) => status === 'pending' && approver === 'operator',
  )
  if (pending === undefined) return lookMs
  const left = Date.parse(pending.pendingSince) + readingMs - clock.nowMs()
  if (left > 0) return left
  await gates.approve(simulatedOperator, { target: pending.id, note }).catch((error: unknown) => {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    log.info('a gate of the demonstration was decided by somebody else', { run: runId, gate: pending.gate })
  })
  return lookMs
}

const simulatedOperator: Actor = { kind: 'operator', personaId: operatorPersona }
const note = 'Simulated: the demonstration approves its own gates.'
