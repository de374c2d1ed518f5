import { createHash } from 'node:crypto'

import { sqlOf } from '../../src/db/tx.ts'
import type { CreateRun } from '../../src/work/runs/contract.ts'
import { operator } from '../support/work.ts'
import { registerInvariants } from './invariants/all.ts'
import { openRuns } from './invariants/brief.ts'
import { checkRest, mayWait } from './invariants/rest.ts'
import { watchFairness } from './invariants/fairness.ts'
import { checkStore } from './invariants/store.ts'
import { checkWaits } from './invariants/waits.ts'
import { beginLife } from './life.ts'
import { drawRun, drawTieredRun, goalOf } from './missions.ts'
import { decideEverything, startOperator } from './operator/operator.ts'
import type { Random } from './random.ts'
import { checkGitAtEnd, checkGitAtRest } from './repositories/invariants.ts'
import { startCommitting } from './repositories/operator.ts'
import { isGitAtWork } from './repositories/rest.ts'
import { inRepository } from './repositories/runs.ts'
import { isSimulated, textOf } from './simulated-errors.ts'
import { beginWorkers } from './workers/begin.ts'
import { checkAgentsInTime, watchProcesses } from './workers/check-processes.ts'
import { countErrands } from './workers/errands.ts'
import { createWorld, type Failure, type World, type WorldOptions } from './world.ts'

/** The playbook of all runs of a world; mixed: each run has its own. */
export type WorldPlaybook = 'direct' | 'tiered' | 'mixed'

export interface Outcome {
  readonly seed: number
  readonly failure: Failure | null
  /** Hash over all events in order, if the log was asked for; the same seed gives the same hash. */
  readonly hash: string
  readonly events: number
  readonly faults: ReadonlyMap<string, number>
  readonly lives: number
  /** The number of processes that shared the store. */
  readonly workers: number
  /** One line per event, if the log was asked for. */
  readonly log: readonly string[]
}

/** Plays one world: a busy phase with faults, a silent phase, and a diligent phase in which every run ends. */
export async function simulate(
  seed: number,
  playbook: WorldPlaybook = 'direct',
  { withLog = false, ...options }: WorldOptions & { readonly withLog?: boolean } = {},
): Promise<Outcome> {
  const world = await createWorld(seed, options)
  registerInvariants(world)
  watchProcesses(world)
  world.fairness = watchFairness(world)
  const stop = world.db.onCommit(() => void world.history.catchUp())
  if (world.workerRates.workers === 1) beginLife(world)
  else beginWorkers(world)
  askForRuns(world, playbook)
  startOperator(world)
  startCommitting(world)
  await beBusy(world)
  await beSilent(world)
  await beDiligent(world)
  await outlastClones(world)
  await settle(world)
  stop()
  if (world.failure === null) await checkStore(world, { thoroughly: seed % 8 === 0 })
  const { hash, log } = withLog ? await readLog(world) : { hash: '', log: [] }
  await endWorld(world)
  return {
    seed,
    failure: world.failure,
    hash,
    events: world.history.events(),
    faults: world.faults,
    lives: world.boots,
    workers: world.workerRates.workers,
    log,
  }
}

function askForRuns(world: World, playbook: WorldPlaybook): void {
  const random = world.random.about('runs')
  const count = random.pick(counts[playbook])
  for (let index = 0; index < count; index++) {
    const name = `r${index}`
    const isTiered = playbook === 'mixed' ? random.about(`playbook ${name}`).chance(0.5) : playbook === 'tiered'
    const drawn = inRepository(world, (isTiered ? drawTieredRun : drawRun)(random.about(name), name), name)
    const input =
      world.workerRates.workers === 1 ? drawn : { ...drawn, ...priorityOf(random.about(`priority ${name}`)) }
    // A client without an answer repeats its request with the same key.
    const ask = (): void => {
      if (world.phase !== 'busy' || isAskedFor(world, name)) return
      world.clock.after(15_000, ask)
      const life = world.reach()
      life?.db
        .once(name, name, () => life.agency.runs.create(operator, input))
        .catch((error: unknown) => {
          if (!isSimulated(error)) world.fail('a run can be started', textOf(error))
        })
    }
    world.clock.after(index === 0 ? 0 : random.between(0, 60_000), ask)
  }
}

const priorityOf = (random: Random): Pick<CreateRun, 'priority'> => ({
  priority: random.pick(['medium', 'medium', 'medium', 'high', 'low']),
})

/** Numbers of runs, of which one is drawn. */
const counts = { direct: [1, 1, 1, 2, 2, 3, 4], tiered: [1, 1, 1, 2], mixed: [2, 2, 3] } as const

const isAskedFor = ({ history }: World, name: string): boolean =>
  [...history.rows('runs').values()].some((run) => run['goal_anchor'] === goalOf(name))

async function beBusy(world: World): Promise<void> {
  const endMs = world.clock.nowMs() + world.rates.busyMs
  await pass(world, () => world.clock.nowMs() >= endMs || (world.history.rows('runs').size > 0 && hasEnded(world)))
}

/** Plays a phase without actions and faults: afterwards every open run must wait for a named reason. */
async function beSilent(world: World): Promise<void> {
  world.phase = 'silent'
  await rest(world)
  await finishErrands(world)
  await checkAtRest(world)
}

/** Waits until all jobs are done that were requested beside those of runs. */
async function finishErrands(world: World): Promise<void> {
  const { clock } = world
  const tooLateMs = clock.nowMs() + 3_600_000
  while (world.failure === null && (await countErrands(world)) > 0) {
    if (clock.nowMs() > tooLateMs)
      return world.fail('every job is done', `${await countErrands(world)} wait after an hour`)
    const untilMs = clock.nowMs() + stepMs
    await pass(world, () => clock.nowMs() >= untilMs)
  }
}

async function checkAtRest(world: World): Promise<void> {
  if (world.failure === null) checkRest(world)
  if (world.failure === null) await checkWaits(world)
  await checkGitAtRest(world)
}

async function beDiligent(world: World): Promise<void> {
  world.phase = 'diligent'
  for (let round = 0; world.failure === null && !hasEnded(world); round++) {
    if (round === (world.git === null ? 200 : 60))
      return world.fail('every run ends in the diligent phase', `${openRuns(world)[0]?.['id']} does not`)
    decideEverything(world, round)
    await rest(world)
    await checkAtRest(world)
  }
}

/**
 * Passes the day after which the clones of ended runs are removed. It begins with the latest end of a run, which is in
 * the future if the clock was set back since.
 */
async function outlastClones(world: World): Promise<void> {
  const { git, history, clock } = world
  if (git === null || world.failure !== null) return
  const ends = [...history.rows('runs').values()].map((run) => Date.parse(run['ended_at'] as string))
  clock.jump(Math.max(clock.nowMs(), ...ends) + 25 * 3_600_000 - clock.nowMs())
  const endMs = clock.nowMs() + quietMs.silent
  await pass(world, () => clock.nowMs() >= endMs)
  if (world.failure === null) await checkGitAtEnd(world)
}

const hasEnded = (world: World): boolean => openRuns(world).length === 0

/**
 * Longer than two sweeps, which find work after a lost wake-up. In the last phase no wake-up is lost, and gates must
 * not expire.
 */
const quietMs = { busy: 65_000, silent: 65_000, diligent: 20_000 }
const restlessMs = 6 * 3_600_000

/** Advances the time until no events have occurred for a while, no attempt is live and no gate is still to expire. */
async function rest(world: World): Promise<void> {
  const { clock, history } = world
  const beganMs = clock.nowMs()
  const tooLateMs = beganMs + restlessMs
  let events = -1
  let sinceMs = clock.nowMs()
  await pass(world, () => {
    if (history.events() !== events) {
      events = history.events()
      sinceMs = clock.nowMs()
    }
    if (clock.nowMs() > tooLateMs) world.fail('the world comes to rest', 'events still occur after hours')
    return (
      isWhole(world) &&
      clock.nowMs() - sinceMs > quietMs[world.phase] &&
      !isAnyAttemptLive(world, beganMs) &&
      !isProviderHeld(world) &&
      !isGitAtWork(world, beganMs) &&
      !(world.phase === 'silent' && isGateToExpire(world))
    )
  })
}

/**
 * Reports whether every process runs and reaches the store, for longer than it waits between two tries to record
 * something.
 */
const isWhole = ({ lives, workerRates, clock }: World): boolean =>
  lives.length === workerRates.workers &&
  lives.every(({ process }) => workerRates.workers === 1 || clock.nowMs() - process.soundSinceMs() > longestRetryMs)

const longestRetryMs = 30_000

/** Ignores attempts after an hour: the checks at rest report a forgotten attempt. */
const isAnyAttemptLive = ({ history, clock }: World, beganMs: number): boolean =>
  clock.nowMs() - beganMs < 3_600_000 &&
  [...history.rows('attempts').values()].some((attempt) => attempt['status'] !== 'ended' && !mayWait(history, attempt))

const isProviderHeld = ({ history, clock }: World): boolean =>
  [...history.rows('provider_holds').values()].some((hold) => (hold['until'] as string) > clock.at())

const isGateToExpire = ({ history, clock }: World): boolean =>
  [...history.rows('gates').values()].some(
    (gate) => gate['status'] === 'pending' && gate['timeout_minutes'] !== null && isWaiting(gate, clock.nowMs()),
  )

const isWaiting = (gate: Readonly<Record<string, unknown>>, nowMs: number): boolean =>
  nowMs < Date.parse(gate['pending_since'] as string) + (Number(gate['timeout_minutes']) + 2) * 60_000

/** The longest step between two checks, independent of the timers. */
const stepMs = 10_000

/** Advances the time from timer to timer, and each time waits until the store is quiet. */
async function pass(world: World, isOver: () => boolean): Promise<void> {
  for (;;) {
    await settle(world)
    checkAgentsInTime(world)
    world.fairness?.check()
    if (world.failure !== null || isOver()) return
    world.clock.advance(Math.min(world.clock.untilNext() ?? stepMs, stepMs))
  }
}

/** Waits until the store received no call for two turns of the event loop: all code here waits for it or for time. */
async function settle({ store, git }: World): Promise<void> {
  for (let quiet = 0; quiet < 2;) {
    const asked = store.asked()
    // Processes of the real git need the processor meanwhile.
    await new Promise<void>((resolve) => ((git?.pending() ?? 0) > 0 ? setTimeout(resolve, 1) : setImmediate(resolve)))
    quiet = store.pending() === 0 && store.asked() === asked && (git?.pending() ?? 0) === 0 ? quiet + 1 : 0
  }
}

async function readLog({ db }: World): Promise<{ hash: string; log: string[] }> {
  const rows = await db.read((tx) => sqlOf(tx).all('SELECT * FROM events ORDER BY position'))
  const hash = createHash('sha256')
  for (const row of rows) hash.update(JSON.stringify(Object.values(row)))
  const log = rows.map(
    (row) => `${String(row['at']).slice(11, 23)} ${row['stream']} ${row['kind']} ${row['by']}: ${row['message']}`,
  )
  return { hash: hash.digest('hex').slice(0, 16), log }
}

async function endWorld(world: World): Promise<void> {
  world.phase = 'silent'
  for (const life of world.lives) life.die('the end')
  world.faults.delete('the end')
  await settle(world)
  await world.db.close()
  await world.git?.close()
}
