import { createHeartbeat, type Heartbeat } from '../../../src/engine/loop/heartbeat.ts'
import { registerWorker, retireWorker } from '../../../src/engine/workers-store.ts'
import { createIds } from '../../../src/kernel/ids.ts'
import { openLife } from '../life.ts'
import { createProcess, type SimProcess } from '../process.ts'
import { isSimulated, textOf } from '../simulated-errors.ts'
import type { Life, World } from '../world.ts'
import { handleErrands, requestErrands } from './errands.ts'
import { troubleProcess } from './troubles.ts'

/** Starts several processes on one store, each with an identity, a clock and heartbeats of its own. */
export function beginWorkers(world: World): void {
  const random = world.random.about('starts')
  const machine: Machine = { world, processes: new Map() }
  requestErrands(world)
  for (let slot = 1; slot <= world.workerRates.workers; slot++)
    world.clock.after(slot === 1 ? 0 : random.between(0, 20_000), () => beginWorker(machine, slot))
}

/** The computer on which all processes run. */
interface Machine {
  readonly world: World
  /** The number of processes with the same identity: more than one if a halted process was replaced. */
  readonly processes: Map<number, number>
}

function beginWorker(machine: Machine, slot: number): void {
  const { world, processes } = machine
  const count = (): number => processes.get(slot) ?? 0
  let life: Life | null = null
  let heartbeat: Heartbeat | null = null
  processes.set(slot, count() + 1)
  const process = createProcess(world, {
    isShared: true,
    skewMs: skewOf(world),
    died: (random) => {
      world.lives = world.lives.filter((each) => each !== life)
      processes.set(slot, count() - 1)
      const pauseMs = random.pick([0, 1_000, 20_000, 90_000, 200_000])
      if (count() === 0) world.clock.after(pauseMs, () => beginWorker(machine, slot))
    },
  })
  troubleProcess(world, process, () => beginWorker(machine, slot))
  void start()

  async function start(): Promise<void> {
    try {
      const worker = await process.db.write(['system'], (tx) => registerWorker(tx, identityOf(slot, process)))
      const beats = beatingDb(world, process)
      life = openLife(world, process, {
        worker,
        queue: worker,
        socket: `socket of ${slot}`,
        ids: createIds(process.random.about('ids').bytes, process.clock),
        beatMs: beats.beatMs,
        stop: async ({ agency, jobs }) => {
          await agency.engine.stop()
          await jobs.stop()
          heartbeat?.stop()
          await process.db.write([], (tx) => retireWorker(tx, worker)).catch(() => {})
        },
      })
      const { agency, jobs, log } = life
      heartbeat = createHeartbeat({
        db: beats.db,
        worker,
        clock: process.clock,
        log: { ...log, error: () => world.fault('self-fence') },
        engine: agency.engine,
        superseded: () => {
          world.fault('superseded')
          void life?.stop()
        },
      })
      handleErrands(world, life)
      world.lives = [...world.lives, life]
      heartbeat.start()
      await agency.engine.start()
      await jobs.start()
    } catch (error) {
      if (isSimulated(error)) process.die('start on a full disk')
      else world.fail('the daemon starts', textOf(error))
    }
  }
}

const identityOf = (slot: number, { boot }: SimProcess) => ({
  id: `w${slot}`,
  host: 'here',
  pid: boot,
  home: `/homes/${slot}`,
  fingerprint: `w${slot}`,
})

function skewOf({ random, workerRates: { skewMs }, boots }: World): number {
  return skewMs === 0 ? 0 : random.about(`skew ${boots}`).between(-skewMs, skewMs)
}

/** Notes when the last heartbeat was sent that the process knows to have succeeded. */
function beatingDb({ clock }: World, { db }: SimProcess): { db: SimProcess['db']; beatMs: () => number } {
  let beatMs = clock.nowMs()
  return {
    beatMs: () => beatMs,
    db: {
      ...db,
      writeApart: async (work) => {
        const sentMs = clock.nowMs()
        const result = await db.writeApart(work)
        if (result === true) beatMs = sentMs
        return result
      },
    },
  }
}
