import { columns, integer, optional, text } from '../../../src/db/columns.ts'
import { sqlOf } from '../../../src/db/tx.ts'
import { sleep } from '../../../src/kernel/clock.ts'
import type { RunningJob } from '../../../src/jobs/queue.ts'
import { isSimulated, textOf } from '../simulated-errors.ts'
import type { ErrandRun, Life, World } from '../world.ts'

const kind = 'errand'
export const longestErrandMs = 180_000

/** Requests jobs now and then, some of them in one of two lanes. */
export function requestErrands(world: World): void {
  const { clock, workerRates } = world
  if (workerRates.errandMs === 0) return
  const random = world.random.about('errands')
  let number = 0
  const request = (): void => {
    if (world.phase !== 'busy') return
    clock.after(random.between(1, 2 * workerRates.errandMs), request)
    const lane = random.pick([null, 'left', 'right'])
    const delayMs = random.pick([0, 0, 5_000, 60_000])
    const life = world.reach()
    const job = { kind, payload: ++number, delayMs, maxTries: 1_000_000, ...(lane === null ? {} : { lane }) }
    life?.db
      .write(['system'], (tx) => life.jobs.enqueue(tx, job))
      .catch((error: unknown) => {
        if (!isSimulated(error)) world.fail('a job can be added', textOf(error))
      })
  }
  clock.after(random.between(1, workerRates.errandMs), request)
}

/** Registers the handler of these jobs, which take up to three minutes and fail now and then. */
export function handleErrands(world: World, life: Life): void {
  const { clock, errands } = world
  const random = world.random.about(`errands of ${life.boot}`)
  life.jobs.handle(kind, async (job) => {
    await checkStart(world, life, job)
    const run: ErrandRun = { life, beganMs: clock.nowMs(), isOver: false }
    errands.set(job.id, run)
    // The time passes in the world; a halted process goes on when it runs again.
    const isBusy = world.phase === 'busy'
    const ms = isBusy ? random.pick([0, 0, 1_000, 50_000, random.between(1, longestErrandMs)]) : 0
    await life.process.alive(() => sleep(clock, ms))
    run.isOver = true
    if (isBusy && random.chance(0.1)) {
      errands.delete(job.id)
      throw new Error('an errand fails')
    }
  })
}

/** Checks that no other process runs the job, that it was not done before, and that it is the first of its lane. */
async function checkStart(world: World, life: Life, { id }: RunningJob): Promise<void> {
  const { errands, rates } = world
  const refuse = (why: string): void => world.fail('a job is run once, in the order of its lane', `${id} ${why}`)
  const before = errands.get(id)
  if (before !== undefined && isSound(world, before)) {
    if (!before.isOver) refuse(`starts in ${life.worker} while ${before.life.worker} runs it`)
    else if (rates.fullDisk + rates.lostAnswer === 0) refuse(`starts again after ${before.life.worker} has done it`)
  }
  const job = await world.db.read((tx) =>
    jobs.first(sqlOf(tx), 'SELECT lane, seq, claimed_by FROM jobs WHERE id = ?', [id]),
  )
  if (job === undefined || job.lane === null || job.claimedBy !== life.worker) return
  const first = await world.db.read((tx) =>
    jobs.first(
      sqlOf(tx),
      "SELECT lane, seq, claimed_by FROM jobs WHERE lane = ? AND status = 'waiting' AND (seq < ? OR (seq > ? AND claimed_by IS NOT NULL))",
      [job.lane, job.seq, job.seq],
    ),
  )
  if (first !== undefined) refuse(`is number ${job.seq} of its lane, and starts beside number ${first.seq}`)
}

const jobs = columns({ lane: optional(text), seq: integer, claimedBy: optional(text) })

/**
 * Reports whether the process of an earlier run has lived and reached the store since before it. One that was replaced
 * claims jobs until its next heartbeat tells it so, and its successor takes all of them.
 */
const isSound = ({ lives }: World, { life, beganMs }: ErrandRun): boolean =>
  lives.includes(life) &&
  life.process.soundSinceMs() < beganMs &&
  !lives.some(({ socket, boot }) => socket === life.socket && boot > life.boot)

/** Resolves to the number of jobs that are not done yet. */
export async function countErrands({ db, workerRates }: World): Promise<number> {
  if (workerRates.errandMs === 0) return 0
  return db.read(async (tx) => (await sqlOf(tx).all('SELECT id FROM jobs WHERE kind = ?', [kind])).length)
}
