import type { AgentHandle, Runtime } from '../../src/adapters/runtime/port.ts'
import { composeAgency } from '../../src/compose.ts'
import type { Db } from '../../src/db/port.ts'
import { openTx } from '../../src/db/tx.ts'
import { createMemoryFiles } from '../../src/engine/attempt/memory-files.ts'
import { laterThrough } from '../../src/engine/loop/wakes.ts'
import { createJobs, type Jobs } from '../../src/jobs/queue.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { refusal } from '../../src/kernel/errors.ts'
import type { Log } from '../../src/kernel/log.ts'
import type { ChaosPoint } from '../../src/kernel/chaos-point.ts'
import { bundledPrompt } from '../support/prompts.ts'
import { plainDefaults } from '../support/work.ts'
import { createSimRuntime } from './agents/runtime.ts'
import { failedRead, fullDisk, isSimulated, lostAnswer, textOf } from './simulated-errors.ts'
import { faultyPlaybooks } from './playbooks.ts'
import { openGit } from './repositories/process.ts'
import { registerWakes } from './wakes.ts'
import type { Life, World } from './world.ts'

const never = new Promise<never>(() => {})

export function beginLife(world: World): Life {
  const boot = ++world.boots
  const random = world.random.about(`life ${boot}`)
  /** Draws of its own, so that the kinds of trouble that were added later change no draw of the first ones. */
  const troubles = random.about('troubles')
  let dead = false
  const timers = new Set<() => void>()
  /** The attempts that it follows. */
  const launched = new Set<string>()

  const die = (how: string): void => {
    if (dead) return
    dead = true
    world.fault(how)
    for (const cancel of timers) cancel()
    timers.clear()
    // Calls that it has not recorded yet are known to nobody.
    for (const attemptId of launched) if (!isRecorded(world, attemptId)) cutOff(world, attemptId)
    if (world.life !== life) return
    world.life = null
    world.clock.after(random.pick([0, 1_000, 20_000, 90_000]), () => beginLife(world))
  }
  const mayDie = (chance: number): boolean => world.phase === 'busy' && !dead && random.chance(chance)

  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (dead) return never
    try {
      const answered = await ask()
      return dead ? never : answered
    } catch (error) {
      if (dead) return never
      throw error
    }
  }

  const db: Db = {
    ...world.db,
    write: (streams, work) =>
      alive(async () => {
        if (world.phase === 'busy' && random.chance(world.rates.fullDisk)) {
          world.fault('full disk')
          throw refusal('store_full', fullDisk)
        }
        const isAnswerLost = world.phase === 'busy' && troubles.chance(world.rates.lostAnswer)
        const fate = mayDie(world.rates.deathByCommit) ? random.pick(['before', 'within', 'after'] as const) : null
        if (fate === 'before') {
          die('death before a commit')
          return never
        }
        const written = await world.db.write(streams, async (tx) => {
          // A transaction that a dead process had only requested does not happen.
          if (dead) throw died
          const value = await work(tx)
          if (fate === 'within') die('death within a transaction')
          if (dead) throw died
          if (fate === 'after') die('death after a commit')
          // A process that learns of no commit calls nothing back.
          if (isAnswerLost) openTx(tx).afterCommitCallbacks.length = 0
          return value
        })
        if (!isAnswerLost) return written
        world.fault('lost answer')
        throw refusal('store_unusable', lostAnswer)
      }),
    read: (work) =>
      alive(async () => {
        if (world.phase !== 'busy' || !troubles.chance(world.rates.failedRead)) return world.db.read(work)
        world.fault('failed read')
        throw refusal('store_unusable', failedRead)
      }),
    onCommit: (listener) =>
      world.db.onCommit((commit) => {
        if (dead) return
        if (world.phase === 'busy' && random.chance(world.rates.lostWake)) return world.fault('lost wake')
        listener(commit)
        if (world.phase !== 'busy' || !random.chance(world.rates.doubleWake)) return
        world.fault('repeated wake')
        listener(commit)
      }),
  }
  const clock: Clock = {
    nowMs: world.clock.nowMs,
    at: world.clock.at,
    after(ms, callback) {
      if (dead) return () => {}
      const cancel = world.clock.after(ms, () => {
        timers.delete(stop)
        callback()
      })
      const stop = (): void => {
        timers.delete(stop)
        cancel()
      }
      timers.add(stop)
      return stop
    },
  }
  const chaosPoint: ChaosPoint = (point) => {
    if (mayDie(world.rates.deathByChaosPoint)) die(`death at ${point}`)
  }
  const worker = `sim:${boot}`
  const jobs: Jobs = createJobs({ db, clock, ids: world.ids, worker: 'sim', chaosPoint })
  const agency = composeAgency({
    db,
    clock,
    ids: world.ids,
    log: logOf(world, () => dead),
    chaosPoint,
    runtimes: [mortalRuntime(createSimRuntime(world), () => dead, launched)],
    workspaces: {
      prepare: (brief) => alive(() => world.workspaces.prepare(brief)),
      open: (brief) => alive(() => world.workspaces.open(brief)),
      checkout: (request) => alive(() => world.workspaces.checkout(request)),
      removeCheckouts: (keep) => alive(() => world.workspaces.removeCheckouts(keep)),
      remove: (brief, before) => alive(() => world.workspaces.remove(brief, before)),
    },
    ...openGit(world, troubles.about('git'), () => dead, alive),
    files: mortalFiles(() => dead),
    promptOf: bundledPrompt,
    environmentOf: (attemptId, fence) => ({ AGENCY_TOKEN: `${attemptId}.${fence}` }),
    alsoSweep: () => jobs.sweep(),
    killSurvivors: async (attemptIds) => (dead ? never : killSurvivors(world, attemptIds)),
    listSurvivors: async () => (dead ? never : [...world.agents.keys()]),
    later: laterThrough(jobs),
    playbooks: faultyPlaybooks(world, troubles.about('playbooks')),
    prices: { priceOf: async ({ inputTokens, outputTokens }) => inputTokens * 2 + outputTokens * 5 },
    worker,
    slots: random.pick([1, 2, 8]),
    defaults: { runtime: 'scripted', ...plainDefaults },
  })
  const life: Life = {
    boot,
    agency,
    db,
    isDead: () => dead,
    die,
    async stop() {
      world.fault('stop')
      await jobs.stop()
      await agency.engine.stop()
      die('stopped')
    },
  }
  registerWakes(jobs, life, world)
  world.life = life
  void start(world, life, jobs)
  const { deathMs } = world.rates
  if (deathMs > 0)
    clock.after(troubles.between(1, 2 * deathMs), () => {
      if (world.phase === 'busy') die('death at any moment')
    })
  return life
}

async function start(world: World, life: Life, jobs: Jobs): Promise<void> {
  try {
    await jobs.start()
    await life.agency.engine.start()
  } catch (error) {
    // A daemon that cannot start because its disk is full is started again later, as a supervisor would do.
    if (isSimulated(error)) life.die('start on a full disk')
    else world.fail('the daemon starts', textOf(error))
  }
}

const died = new Error('the process is dead')

/** Fails the simulation on every logged error that is not simulated. */
function logOf(world: World, isDead: () => boolean): Log {
  return {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, fields) => {
      const text = `${message} ${JSON.stringify(fields ?? {})}`
      if (!isDead() && !isSimulated(text)) world.fail('no unexpected error is logged', text)
    },
  }
}

/** Cuts a dead process off from the runtime: it launches, receives and kills nothing, while its agents live on. */
const mortalRuntime = (runtime: Runtime, isDead: () => boolean, launched: Set<string>): Runtime => ({
  ...runtime,
  launch: async (launch) => {
    if (isDead()) return never
    launched.add(launch.launchId)
    const handle = await runtime.launch(launch)
    return isDead() ? never : mortalHandle(handle, isDead)
  },
})

const mortalHandle = (handle: AgentHandle, isDead: () => boolean): AgentHandle => ({
  ...handle,
  events: {
    async *[Symbol.asyncIterator]() {
      for await (const event of handle.events) {
        if (isDead()) await never
        yield event
      }
      if (isDead()) await never
    },
  },
  interrupt: () => (isDead() ? never : handle.interrupt()),
})

function mortalFiles(isDead: () => boolean): ReturnType<typeof createMemoryFiles> {
  const files = createMemoryFiles()
  return {
    writePrompt: async (attemptId, text) => (isDead() ? never : files.writePrompt(attemptId, text)),
    openOutput: async (attemptId) => (isDead() ? never : files.openOutput(attemptId)),
    readOutput: files.readOutput,
  }
}

/** Reports whether all calls of an agent that has ended are in the ledger. */
const isRecorded = ({ agents, played, history }: World, attemptId: string): boolean =>
  !agents.has(attemptId) &&
  (played.get(attemptId)?.calls.length ?? 0) ===
    [...history.rows('spends').values()].filter((spend) => spend['attempt_id'] === attemptId).length

function cutOff({ played }: World, attemptId: string): void {
  const calls = played.get(attemptId)
  if (calls !== undefined) calls.isCutOff = true
}

/** Kills agents of an earlier process. Some escape and later write for a brief that has a newer attempt. */
async function killSurvivors(world: World, attemptIds: readonly string[]): Promise<number> {
  let killed = 0
  for (const attemptId of attemptIds) {
    const agent = world.agents.get(attemptId)
    if (agent === undefined) continue
    if (world.random.about(`escape ${attemptId}`).chance(world.rates.escape)) {
      world.fault('survivor')
      world.escaped.add(attemptId)
      continue
    }
    await agent.interrupt()
    killed++
  }
  return killed
}
