import type { Db, Tx } from '../db/port.ts'
import { storable } from '../db/table.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import { AgencyError, bug, refusal } from '../kernel/errors.ts'
import type { Ids, JobId } from '../kernel/ids.ts'
import type { Json } from '../kernel/json.ts'
import type { ChaosPoint } from '../kernel/chaos-point.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'
import { nextScheduled, retryAt } from './schedule.ts'
import {
  buryJob,
  claimJobs,
  type Failure,
  finishJob,
  insertJob,
  type Job,
  listDeadJobs,
  nextDueAt,
  releaseJob,
  releaseJobsOf,
  renewClaims,
  retryJob,
} from './store.ts'

export interface JobDeps {
  db: Db
  clock: Clock
  ids: Ids
  /** The same in every life of this worker, so that it takes up at once what it left behind. */
  worker: string
  chaosPoint: ChaosPoint
  /** How long a claim stands without a sweep: longer than two sweeps, or a slow handler is run elsewhere too. */
  leaseMs?: number
  /** How many handlers run at once. */
  concurrency?: number
}

export interface NewJob {
  kind: string
  payload?: Json
  /** Now, unless one of these says otherwise; with a schedule, its next time. */
  dueAt?: string
  delayMs?: number
  singleton?: string
  maxTries?: number
  schedule?: string
}

export interface RunningJob {
  readonly id: JobId
  readonly kind: string
  readonly payload: Json
  /** How often it has failed before. */
  readonly tries: number
  /** Aborted by `stop`. A handler that throws then has not failed: the job is due again at the next start. */
  readonly signal: AbortSignal
}

/** A job is only a wake-up and may come twice: the row it points at decides what is to be done. */
export type Handler = (job: RunningJob) => Promise<void>

export type Jobs = ReturnType<typeof createJobs>

export function createJobs({ db, clock, ids, worker, chaosPoint, leaseMs = 120_000, concurrency = 16 }: JobDeps) {
  const handlers = new Map<string, Handler>()
  const running = new Map<JobId, Promise<void>>()
  let stopping: AbortController | null = null
  let stopListening = (): void => {}
  /** The round that is under way, and whether another one must follow it. */
  let pumping: Promise<void> | null = null
  let again = false
  let renew = false
  /** More is due than there is room for: whoever ends makes room. */
  let backlog = false
  let timer: { dueMs: number; cancel: () => void } | null = null
  /** The earliest time that came up while a round was looking: it may have looked before there was anything to see. */
  let meanwhile: number | null = null

  const isStarted = (): boolean => stopping !== null && !stopping.signal.aborted
  const until = (at: string): string => isoAt(Date.parse(at) + leaseMs)

  function wake(): void {
    if (!isStarted()) return
    again = true
    pumping ??= pump()
  }

  /** The only timer: for the earliest of all that is known to come. */
  function wakeAt(dueAt: string): void {
    if (!isStarted()) return
    const dueMs = Date.parse(dueAt)
    if (dueMs <= clock.nowMs()) return wake()
    if (pumping !== null) meanwhile = Math.min(meanwhile ?? dueMs, dueMs)
    if (timer !== null && timer.dueMs <= dueMs) return
    timer?.cancel()
    const cancel = clock.after(dueMs - clock.nowMs(), () => {
      timer = null
      wake()
    })
    timer = { dueMs, cancel }
  }

  async function pump(): Promise<void> {
    try {
      while (again && isStarted()) {
        again = false
        await claimRound()
      }
    } catch (error) {
      endure(error)
    } finally {
      pumping = null
    }
  }

  async function claimRound(): Promise<void> {
    const kinds = [...handlers.keys()]
    const room = concurrency - running.size
    if (kinds.length === 0 || (room === 0 && !renew)) return
    const renewed = renew ? [...running.keys()] : []
    renew = false
    meanwhile = null
    const { claimed, next, at } = await db.write([], async (tx) => {
      await renewClaims(tx, worker, renewed, until(tx.at))
      const claim = { kinds, worker, at: tx.at, until: until(tx.at), limit: room }
      const claimed = room === 0 ? [] : await claimJobs(tx, db.kind, claim)
      return { claimed, next: await nextDueAt(tx, kinds), at: tx.at }
    })
    if (!isStarted()) return giveBack(claimed)
    timer?.cancel()
    timer = null
    if (meanwhile !== null) wakeAt(isoAt(meanwhile))
    // One of our own whose lease ran out while it still runs is not run beside itself.
    const fresh = claimed.filter((job) => !running.has(job.id))
    for (const job of fresh) start(job)
    backlog = next !== null && next <= at
    if (next === null) return
    if (next > at) wakeAt(next)
    else if (fresh.length > 0) again = running.size < concurrency
    // Due but not to be had: another worker is taking it this very moment.
    else if (room > 0) wakeAt(isoAt(clock.nowMs() + 1_000))
  }

  /** Stopped while claiming. */
  async function giveBack(claimed: readonly Job[]): Promise<void> {
    const mine = claimed.filter((job) => !running.has(job.id))
    if (mine.length === 0) return
    await db.write([], async (tx) => {
      for (const job of mine) await releaseJob(tx, job.id, worker)
    })
  }

  function start(job: Job): void {
    const run = runJob(job)
      .catch(endure)
      .then(() => {
        // Somebody may be at it again already.
        if (running.get(job.id) === run) running.delete(job.id)
        if (backlog) wake()
      })
    running.set(job.id, run)
  }

  /**
   * From this commit on it is anybody's: several commits are made at once, and a round of the same batch that claims it
   * again must not take it for one that still runs.
   */
  function freeing(tx: Tx, job: Job): Tx {
    tx.afterCommit(() => running.delete(job.id))
    return tx
  }

  async function runJob(job: Job): Promise<void> {
    const handler = handlers.get(job.kind)
    const signal = stopping?.signal
    if (handler === undefined || signal === undefined) throw bug(`nobody runs jobs of kind "${job.kind}"`)
    chaosPoint('job.claimed')
    try {
      await handler({ id: job.id, kind: job.kind, payload: job.payload, tries: job.tries, signal })
    } catch (error) {
      if (signal.aborted) return void (await db.write([], (tx) => releaseJob(freeing(tx, job), job.id, worker)))
      return failed(job, error)
    }
    chaosPoint('job.ran')
    const nextAt = await db.write([], (tx) =>
      finishJob(freeing(tx, job), job.id, worker, job.schedule === null ? null : nextScheduled(job.schedule, tx.at)),
    )
    if (nextAt !== null) wakeAt(nextAt)
  }

  async function failed(job: Job, error: unknown): Promise<void> {
    const failure: Failure = { tries: job.tries + 1, error: describe(error) }
    const nextAt = await db.write([], async (tx) => {
      freeing(tx, job)
      if (failure.tries >= job.maxTries) return bury(tx, job, failure)
      const dueAt = retryAt(tx.at, failure.tries)
      await retryJob(tx, job.id, worker, dueAt, failure)
      return dueAt
    })
    if (nextAt !== null) wakeAt(nextAt)
  }

  /** What was to come after it still comes: the next time of its schedule, or what was asked for while it ran. */
  async function bury(tx: Tx, job: Job, failure: Failure): Promise<string | null> {
    const buried = await buryJob(tx, job.id, worker, failure)
    if (buried === null) return null
    const dueAt = buried.asked ?? (job.schedule === null ? null : nextScheduled(job.schedule, tx.at))
    if (dueAt === null) return null
    await insertJob(tx, { ...job, id: ids.next('job'), dueAt, tries: 0, error: null, createdAt: tx.at })
    return dueAt
  }

  return {
    /** In the transaction that makes it necessary. False when one already waits under the singleton. */
    async enqueue(tx: Tx, job: NewJob): Promise<boolean> {
      const dueAt = dueTime(tx.at, job)
      const added = await insertJob(tx, {
        id: ids.next('job'),
        kind: job.kind,
        singleton: job.singleton ?? null,
        payload: job.payload ?? null,
        dueAt,
        schedule: job.schedule ?? null,
        tries: 0,
        maxTries: job.maxTries ?? 10,
        error: null,
        createdAt: tx.at,
      })
      tx.afterCommit(() => wakeAt(dueAt))
      return added
    },

    /** Before `start`. Jobs of kinds that nobody handles wait for a worker that does. */
    handle(kind: string, handler: Handler): void {
      if (handlers.has(kind)) throw bug(`two handlers for jobs of kind "${kind}"`)
      handlers.set(kind, handler)
      wake()
    },

    async start(): Promise<void> {
      if (isStarted()) return
      stopping = new AbortController()
      // Several processes: what another has committed may hold a job for us.
      if (db.kind === 'postgres') stopListening = db.onCommit(wake)
      await db.write([], (tx) => releaseJobsOf(tx, worker))
      wake()
      await pumping
    },

    /** Takes no more, and waits for what runs. */
    async stop(): Promise<void> {
      stopping?.abort()
      stopListening()
      timer?.cancel()
      timer = null
      await settled()
    },

    /**
     * Finds what no wake-up told of: jobs of workers that died, of other processes, and those that a jump of the clock
     * brought forward. Renews the leases of what runs here, so it must come at least once per lease.
     */
    async sweep(): Promise<void> {
      renew = running.size > 0
      wake()
      await pumping
    },

    listDead: (limit = 100): Promise<Job[]> => db.read((tx) => listDeadJobs(tx, limit)),

    settled,
  }

  /** Resolves when nothing is being claimed or run. */
  async function settled(): Promise<void> {
    while (pumping !== null || running.size > 0) await (pumping ?? Promise.all(running.values()))
  }
}

function dueTime(at: string, { dueAt, delayMs, schedule }: NewJob): string {
  // Looked at even when it does not decide the first time: a schedule that cannot be read is refused here, not at night.
  const next = schedule === undefined ? at : nextScheduled(schedule, at)
  if (next === null) throw refusal('invalid_input', `the schedule "${schedule}" names no time that will ever come`)
  if (dueAt !== undefined) return dueAt
  return delayMs === undefined ? next : isoAt(Date.parse(at) + delayMs)
}

/** A store in trouble mends or ends the daemon without us; what was claimed is found by a later sweep. */
function endure(error: unknown): void {
  if (error instanceof AgencyError && ['store_full', 'store_unusable', 'stopping'].includes(error.code)) return
  queueMicrotask(() => {
    throw error
  })
}

const describe = (error: unknown): string =>
  storable(shorten(redact(error instanceof Error ? error.message : String(error)), 2_000))
