import type { AgentHandle, Runtime } from '../../src/adapters/runtime/port.ts'
import { composeAgency } from '../../src/compose.ts'
import { createMemoryFiles } from '../../src/engine/attempt/memory-files.ts'
import { laterThrough } from '../../src/engine/loop/wakes.ts'
import { createJobs } from '../../src/jobs/queue.ts'
import type { Ids } from '../../src/kernel/ids.ts'
import type { Log } from '../../src/kernel/log.ts'
import { bundledPrompt } from '../support/prompts.ts'
import { plainDefaults } from '../support/work.ts'
import { createSimRuntime } from './agents/runtime.ts'
import { isSimulated, textOf } from './simulated-errors.ts'
import { faultyPlaybooks } from './playbooks.ts'
import { never } from './never.ts'
import { createProcess, markCutOff, type SimProcess } from './process.ts'
import { faultyCheckout, openGit } from './repositories/process.ts'
import { registerWakes } from './wakes.ts'
import type { Life, World } from './world.ts'

/** Starts the daemon of a world with one process; after its death it is started again. */
export function beginLife(world: World): void {
  const process = createProcess(world, {
    isShared: false,
    skewMs: 0,
    died: (random) => {
      if (!world.lives.includes(life)) return
      world.lives = []
      world.clock.after(random.pick([0, 1_000, 20_000, 90_000]), () => beginLife(world))
    },
  })
  const life = openLife(world, process, {
    worker: `sim:${process.boot}`,
    queue: 'sim',
    socket: 'sim',
    ids: world.ids,
    stop: async ({ jobs, agency }) => {
      await agency.engine.stop()
      await jobs.stop()
    },
  })
  world.lives = [life]
  void start(world, life)
  const { deathMs } = world.rates
  if (deathMs > 0)
    process.clock.after(process.troubles.between(1, 2 * deathMs), () => {
      if (world.phase === 'busy') life.die('death at any moment')
    })
}

export interface LifeOptions {
  /** `<id>:<boot>`. */
  readonly worker: string
  /** The name under which it claims jobs. */
  readonly queue: string
  /** Where its agents reach it, also after a restart. */
  readonly socket: string
  readonly ids: Ids
  /** When the last successful heartbeat was sent; without it, the process sends none. */
  readonly beatMs?: () => number
  /** Ends everything that runs in it, in the order of the daemon. */
  readonly stop: (life: Life) => Promise<void>
}

/** Composes the product in a process, as the daemon does. */
export function openLife(world: World, process: SimProcess, options: LifeOptions): Life {
  const { db, clock, random, troubles, chaosPoint, alive, isDead, die, launched } = process
  const { worker, socket, ids } = options
  const jobs = createJobs({ db, clock, ids, worker: options.queue, chaosPoint })
  const log = logOf(world, isDead)
  const playbooks = faultyPlaybooks(world, troubles.about('playbooks'))
  const slots = random.pick([1, 2, 8])
  const checkout = faultyCheckout(world, troubles.about('checkouts'))
  const agency = composeAgency({
    db,
    clock,
    ids,
    log,
    chaosPoint,
    runtimes: [mortalRuntime(world, process, launched)],
    workspaces: {
      prepare: (brief) => alive(() => world.workspaces.prepare(brief)),
      open: (brief) => alive(() => world.workspaces.open(brief)),
      lay: (brief, files) => alive(() => world.workspaces.lay(brief, files)),
      changedInCopy: (brief) => alive(() => world.workspaces.changedInCopy(brief)),
      source: (runId, from, path) => alive(() => world.workspaces.source(runId, from, path)),
      checkout: (request) => alive(() => checkout(request)),
      removeCheckouts: (keep) => alive(() => world.workspaces.removeCheckouts(keep)),
      remove: (brief, before) => alive(() => world.workspaces.remove(brief, before)),
    },
    ...openGit(world, troubles.about('git'), isDead, alive),
    files: mortalFiles(process),
    promptOf: bundledPrompt,
    environmentOf: (attemptId, fence) => ({ AGENCY_SOCKET: socket, AGENCY_TOKEN: `${attemptId}.${fence}` }),
    alsoSweep: () => jobs.sweep(),
    killSurvivors: async (attemptIds) => (isDead() ? never() : killSurvivors(world, attemptIds)),
    listSurvivors: async () => (isDead() ? never() : [...world.agents.keys()]),
    later: laterThrough(jobs),
    playbooks,
    prices: { priceOf: async ({ inputTokens, outputTokens }) => inputTokens * 2 + outputTokens * 5 },
    worker,
    slots,
    defaults: { runtime: 'scripted', ...plainDefaults },
  })
  const life: Life = {
    boot: process.boot,
    worker,
    socket,
    process,
    beganMs: world.clock.nowMs(),
    agency,
    jobs,
    slots,
    db,
    log,
    beatMs: options.beatMs ?? null,
    isStopping: false,
    isDead,
    die,
    async stop() {
      world.fault('stop')
      life.isStopping = true
      await options.stop(life)
      die('stopped')
    },
  }
  registerWakes(life, world)
  return life
}

async function start(world: World, life: Life): Promise<void> {
  try {
    await life.agency.engine.start()
    await life.jobs.start()
  } catch (error) {
    // A daemon that cannot start because its disk is full is started again later, as a supervisor would do.
    if (isSimulated(error)) life.die('start on a full disk')
    else world.fail('the daemon starts', textOf(error))
  }
}

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

type Mortal = Pick<SimProcess, 'isDead' | 'freeze'>

/** Cuts a dead process off from the runtime: it launches, receives and kills nothing, while its agents live on. */
function mortalRuntime(world: World, process: Mortal, launched: Set<string>): Runtime {
  const runtime = createSimRuntime(world)
  return {
    ...runtime,
    launch: async (launch) => {
      if (process.freeze.isFrozen()) await process.freeze.thawed
      if (process.isDead()) return never()
      launched.add(launch.launchId)
      const handle = await runtime.launch(launch)
      if (!process.isDead()) return mortalHandle(handle, process)
      // The launch of an agent takes time with the real git, and the process has died meanwhile.
      markCutOff(world, launch.launchId)
      return never()
    },
  }
}

const mortalHandle = (handle: AgentHandle, { isDead, freeze }: Mortal): AgentHandle => ({
  ...handle,
  events: {
    async *[Symbol.asyncIterator]() {
      for await (const event of handle.events) {
        if (freeze.isFrozen()) await freeze.thawed
        if (isDead()) await never()
        yield event
      }
      if (isDead()) await never()
    },
  },
  interrupt: () => (isDead() ? never() : handle.interrupt()),
})

function mortalFiles({ isDead, freeze }: Mortal): ReturnType<typeof createMemoryFiles> {
  const files = createMemoryFiles()
  return {
    writePrompts: async (attemptId, prompts) => {
      if (freeze.isFrozen()) await freeze.thawed
      return isDead() ? never() : files.writePrompts(attemptId, prompts)
    },
    readPrompts: files.readPrompts,
    openOutput: async (attemptId) => (isDead() ? never() : files.openOutput(attemptId)),
    readOutput: files.readOutput,
  }
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
