import type { Db } from '../../db/port.ts'
import type { Jobs } from '../../jobs/queue.ts'
import type { Actor } from '../../kernel/actor.ts'
import { hasCheckWarning } from '../../kernel/checked-in.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { operatorPersona } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Gates } from '../../work/gates/service.ts'
import type { CreateRun, Run } from '../../work/runs/contract.ts'
import type { Runs } from '../../work/runs/service.ts'
import type { PlayDemo } from './contract.ts'
import { directDemo, tieredDemo } from './plays.contract.ts'

/** Never deleted, unlike the keys of requests: an installation starts its first demonstration only once. */
export const firstDemoKey = 'demo:tiered'

export interface DemoDeps {
  db: Db
  clock: Clock
  log: Log
  jobs: Pick<Jobs, 'enqueue' | 'handle'>
  /** Creates a repository of this name for a demonstration to work on; resolves to its path. */
  makeRepository: (name: string) => Promise<string>
  runs: Runs
  gates: Gates
}

export type Demos = ReturnType<typeof createDemos>

/** Long enough to read a gate. */
const readingMs = 1_500
const checkMs = 1_000
/** No person watches a demonstration for longer: gates that are still open then wait for the operator. */
const longestMs = 30 * 60_000

/** Creates the service for runs of simulated agents that show the product at work. Call it before the queue starts. */
export function createDemos(deps: DemoDeps) {
  const { db, clock, log, jobs, makeRepository, runs } = deps
  const watched = new Set<string>()
  jobs.handle(jobKind, async ({ payload }) => {
    const runId = String(payload)
    const nextMs = await approveGates(deps, runId)
    if (nextMs === null) watched.delete(runId)
    else await watchGates(runId, nextMs)
  })

  async function createRun(by: Actor, { playbook, profile, manual }: PlayDemo, name: string): Promise<Run> {
    const run = await runs.create(by, playbook === 'direct' ? directDemo : await tiered(profile, name))
    if (!manual) await watchGates(run.id)
    return run
  }

  /** Describes a tiered run. Without git it has no repository, so that nothing is merged in the end. */
  async function tiered(profile: PlayDemo['profile'], name: string): Promise<CreateRun> {
    try {
      return tieredDemo(profile, await makeRepository(name))
    } catch (error) {
      log.warn('the demonstration has no repository', { error: String(error) })
      return tieredDemo(profile, null)
    }
  }

  const watchGates = (runId: string, delayMs = 0): Promise<unknown> => {
    watched.add(runId)
    return db.write([], (tx) => jobs.enqueue(tx, { kind: jobKind, payload: runId, key: runId, delayMs }))
  }

  return {
    /** Reports whether a gate of the run is approved automatically: then no notification is sent for it. */
    approves: ({ runId, summary }: { runId: string | null; summary: string }): boolean =>
      runId !== null && watched.has(runId) && !hasCheckWarning(summary),

    play: (by: Actor, input: PlayDemo): Promise<Run> =>
      createRun(by, input, `${input.profile}-${clock.at().replace(/\D/g, '')}`),

    /** Starts the first demonstration, once per installation. If it is killed, it continues at the next start. */
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

/**
 * Approves a pending gate for the operator after a moment, with a note, unless a person decides first. Returns the
 * delay until the next check, or null.
 */
async function approveGates({ clock, runs, gates, log }: DemoDeps, runId: string): Promise<number | null> {
  const { endedAt, startedAt } = await runs.show(runId)
  if (endedAt !== null || clock.nowMs() - Date.parse(startedAt) > longestMs) return null
  const pending = (await gates.ofRun(runId)).gates.find(
    ({ status, approver }) => status === 'pending' && approver === 'operator',
  )
  // Work that was not checked in a fresh checkout is accepted by a person only.
  if (pending === undefined || pending.summary.anomalies.some(hasCheckWarning)) return checkMs
  const left = Date.parse(pending.pendingSince) + readingMs - clock.nowMs()
  if (left > 0) return left
  await gates.approve(simulatedOperator, { target: pending.id, note }).catch((error: unknown) => {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    log.info('a gate of the demonstration was already decided', { run: runId, gate: pending.gate })
  })
  return checkMs
}

const simulatedOperator: Actor = { kind: 'operator', personaId: operatorPersona }
const note = 'Simulated: the demonstration approves its own gates.'
