import type { Db, Tx } from '../db/port.ts'
import { storable } from '../db/table.ts'
import { type Clock, isoAt } from '../kernel/clock.ts'
import { AgencyError, bug, refusal } from '../kernel/errors.ts'
import type { Ids, JobId } from '../kernel/ids.ts'
import type { Json } from '../kernel/json.ts'
import type { ChaosPoint } from '../kernel/chaos-point.ts'
import type { Log } from '../kernel/log.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'
import { createLeases } from './leases.ts'
import { type Backoff, nextScheduled, retryAt } from './schedule.ts'
import {
  giveUpJob,
  claimJobs,
  type Failure,
  finishJob,
  insertJob,
  type Job,
  type JobRow,
  listDeadJobs,
  nextDueAt,
  releaseJob,
  releaseJobsOf,
  renewClaims,
  type Retried,
  retryJob,
  reviveJob,
} from './store.ts'

export interface JobDeps {
  db: Db
  clock: Clock
  ids: Ids
  /** `<id>:<boot>`: a worker resumes at once the jobs that earlier boots of the same id left behind. */
  worker: string
  chaosPoint: ChaosPoint
  /** Gets the bugs of the queue itself; without it they end the process. */
  log?: Pick<Log, 'error'>
  /** How long a claim is valid unless it is renewed, as it is four times in this while its handler runs. */
  leaseMs?: number
  /** Maximum number of handlers that run at once. */
  concurrency?: number
}

export interface NewJob {
  kind: string
  payload?: Json
  /** Due time; by default the next time of the schedule, or now. */
  dueAt?: string
  delayMs?: number
  /** While a job of this kind waits under the same key, no second one is added. */
  key?: string
  /**
   * Jobs of one lane run one after the other, in the order in which they were added. Transactions whose order matters
   * lock the same stream.
   */
  lane?: string
  maxTries?: number
  schedule?: string
}

export interface RunningJob {
  readonly id: JobId
  readonly kind: string
  readonly payload: Json
  /** The number of earlier failures. */
  readonly tries: number
  /** True if a failure now is the last: the job is given up. */
  readonly isLastTry: boolean
  /** Aborted by `stop`. A handler that throws then has not failed: the job is due again at the next start. */
  readonly signal: AbortSignal
}

/** Handles a job, which is only a wake-up and may come twice: the row it refers to decides the action. */
export type Handler = (job: RunningJob) => Promise<void>

/** How jobs of a kind fail. */
export interface KindOptions {
  /** Without it, 1 s, 2 s, 4 s … one hour. */
  backoff?: Backoff
  /**
   * A job that fails keeps the later ones of its lane waiting until it is given up. With this, also then, until it is
   * retried.
   */
  holdsLaneWhenDead?: boolean
}

export type Jobs = ReturnType<typeof createJobs>

export function createJobs(deps: JobDeps) {
  const { db, clock, ids, worker, chaosPoint, leaseMs = 120_000, concurrency = 16 } = deps
  const handlers = new Map<string, { handler: Handler; options: KindOptions }>()
  const running = new Map<JobId, Promise<void>>()
  let stopping: AbortController | null = null
  let stopListening = (): void => {}
  /** The current round of claims, and whether another one must follow it. */
  let pumping: Promise<void> | null = null
  let again = false
  /** True when more jobs are due than may run: the end of a running job starts another round. */
  let backlog = false
  let timer: { dueMs: number; cancel: () => void } | null = null
  /**
   * The earliest due time that was added during a round: the query of the round may have run before the job was
   * written.
   */
  let meanwhile: number | null = null

  const leases = createLeases({
    clock,
    everyMs: leaseMs / 4,
    isNeeded: () => running.size > 0,
    renew: () =>
      db
        .write([], (tx) => renewClaims(tx, worker, [...running.keys()], until(tx.at)))
        .then(() => true)
        .catch((error: unknown) => {
          ignoreStoreErrors(error)
          return false
        }),
  })

  const isStarted = (): boolean => stopping !== null && !stopping.signal.aborted
  const until = (at: string): string => isoAt(Date.parse(at) + leaseMs)

  function wake(): void {
    if (!isStarted()) return
    again = true
    pumping ??= pump()
  }

  /** Wakes at a due time; `at` is the present time of the store, which need not be that of this process. */
  const wakeAt = (dueAt: string, at: string): void => wakeAfter(Date.parse(dueAt) - Date.parse(at))

  /** Sets the only timer, for the earliest known due time. */
  function wakeAfter(ms: number): void {
    if (!isStarted()) return
    if (ms <= 0) return wake()
    const dueMs = clock.nowMs() + ms
    if (pumping !== null) meanwhile = Math.min(meanwhile ?? dueMs, dueMs)
    if (timer !== null && timer.dueMs <= dueMs) return
    timer?.cancel()
    const cancel = clock.after(ms, () => {
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
      ignoreStoreErrors(error)
      wakeAfter(retryMs)
    } finally {
      pumping = null
    }
  }

  async function claimRound(): Promise<void> {
    const kinds = [...handlers.keys()]
    const room = concurrency - running.size
    if (kinds.length === 0 || room === 0) return
    meanwhile = null
    const { claimed, next, at } = await db.write([], async (tx) => {
      const claimed = await claimJobs(tx, db.kind, { kinds, worker, at: tx.at, until: until(tx.at), limit: room })
      return { claimed, next: await nextDueAt(tx, kinds), at: tx.at }
    })
    if (!isStarted()) return giveBack(claimed)
    timer?.cancel()
    timer = null
    if (meanwhile !== null) wakeAfter(meanwhile - clock.nowMs())
    // A job of our own that still runs after its lease expired must not run twice at once.
    const fresh = claimed.filter((job) => !running.has(job.id))
    for (const job of fresh) start(job)
    leases.keep()
    backlog = next !== null && next <= at
    if (next === null) return
    if (next > at) wakeAt(next, at)
    else if (fresh.length > 0) again = running.size < concurrency
    // The job is due but locked: another worker is claiming it at this moment.
    else wakeAfter(retryMs)
  }

  /** Releases jobs that were claimed while the queue was being stopped. */
  async function giveBack(claimed: readonly Job[]): Promise<void> {
    const mine = claimed.filter((job) => !running.has(job.id))
    if (mine.length === 0) return
    await db.write([], async (tx) => {
      for (const job of mine) await releaseJob(tx, job.id, worker)
    })
  }

  function start(job: Job): void {
    const run = runJob(job)
      .catch(ignoreStoreErrors)
      .then(() => {
        // The job may already be running again.
        if (running.get(job.id) === run) running.delete(job.id)
        leases.keep()
        if (backlog) wake()
      })
    running.set(job.id, run)
  }

  /**
   * Marks the job as not running from this commit on, when any worker may claim it: several transactions commit together,
   * and a round of the same batch that claims the job again must not treat it as still running.
   */
  function freeing(tx: Tx, job: Job): Tx {
    tx.afterCommit(() => running.delete(job.id))
    return tx
  }

  async function runJob(job: Job): Promise<void> {
    const known = handlers.get(job.kind)
    const signal = stopping?.signal
    if (known === undefined || signal === undefined) throw bug(`there is no handler for jobs of kind "${job.kind}"`)
    chaosPoint('job.claimed')
    try {
      const { id, kind, payload, tries } = job
      await known.handler({ id, kind, payload, tries, isLastTry: tries + 1 >= job.maxTries, signal })
    } catch (error) {
      if (signal.aborted) return void (await db.write([], (tx) => releaseJob(freeing(tx, job), job.id, worker)))
      return failed(job, error, known.options)
    }
    chaosPoint('job.ran')
    const next = await db.write([], async (tx) => ({
      at: tx.at,
      dueAt: await finishJob(
        freeing(tx, job),
        job.id,
        worker,
        job.schedule === null ? null : nextScheduled(job.schedule, tx.at),
      ),
    }))
    if (job.lane !== null) wake()
    if (next.dueAt !== null) wakeAt(next.dueAt, next.at)
  }

  async function failed(job: Job, error: unknown, options: KindOptions): Promise<void> {
    // Trouble of the store says nothing about the job.
    const failure: Failure = { tries: job.tries + (isOfStore(error) ? 0 : 1), error: describe(error) }
    const next = await db.write([], async (tx) => {
      freeing(tx, job)
      if (failure.tries >= job.maxTries) return { at: tx.at, dueAt: await giveUp(tx, job, failure, options) }
      const dueAt = retryAt(tx.at, Math.max(1, failure.tries), options.backoff)
      await retryJob(tx, job.id, worker, dueAt, failure)
      return { at: tx.at, dueAt }
    })
    if (job.lane !== null && failure.tries >= job.maxTries) wake()
    if (next.dueAt !== null) wakeAt(next.dueAt, next.at)
  }

  /**
   * Gives up a job and inserts its successor: for the time requested while it ran, or the next time of its schedule.
   */
  async function giveUp(tx: Tx, job: Job, failure: Failure, options: KindOptions): Promise<string | null> {
    const givenUp = await giveUpJob(tx, job.id, worker, failure, {
      holdsLane: options.holdsLaneWhenDead ?? false,
      at: tx.at,
    })
    if (givenUp === null) return null
    const dueAt = givenUp.requestedAt ?? (job.schedule === null ? null : nextScheduled(job.schedule, tx.at))
    if (dueAt === null) return null
    await insertJob(tx, { ...job, id: ids.next('job'), dueAt, tries: 0, error: null, createdAt: tx.at })
    return dueAt
  }

  return {
    /**
     * Adds a job in the transaction that makes it necessary; returns false when one already waits under the key.
     */
    async enqueue(tx: Tx, job: NewJob): Promise<boolean> {
      const dueAt = dueTime(tx.at, job)
      const added = await insertJob(tx, {
        id: ids.next('job'),
        kind: job.kind,
        key: job.key ?? null,
        lane: job.lane ?? null,
        payload: job.payload ?? null,
        dueAt,
        schedule: job.schedule ?? null,
        tries: 0,
        maxTries: job.maxTries ?? 10,
        error: null,
        createdAt: tx.at,
      })
      if (dueAt <= tx.at) tx.affectsOthers('jobs')
      tx.afterCommit(() => wakeAt(dueAt, tx.at))
      return added
    },

    /** Registers a handler; call it before `start`. Jobs of kinds without a handler wait for a worker that has one. */
    handle(kind: string, handler: Handler, options: KindOptions = {}): void {
      if (handlers.has(kind)) throw bug(`two handlers for jobs of kind "${kind}"`)
      handlers.set(kind, { handler, options })
      wake()
    },

    async start(): Promise<void> {
      if (isStarted()) return
      stopping = new AbortController()
      // With several processes, a commit of another one may contain a job for this one.
      if (db.isShared)
        stopListening = db.onCommit(({ jobs, isForeign }) => {
          if (jobs && isForeign) wake()
        })
      await db.write([], (tx) => releaseJobsOf(tx, worker))
      wake()
      await pumping
    },

    /** Claims no more jobs, and waits for the running ones. */
    async stop(): Promise<void> {
      stopping?.abort()
      stopListening()
      timer?.cancel()
      timer = null
      await settled()
    },

    /**
     * Finds jobs without a wake-up here: of workers that died, of other processes, and those that became due by a jump of
     * the clock. Renews the leases of the jobs that run here, which a jump of the clock may have shortened.
     */
    async sweep(): Promise<void> {
      await leases.renewNow()
      wake()
      await pumping
    },

    /** Tries a job again that was given up; resolves to null if there is none with this id. */
    async retry(id: JobId): Promise<Retried | null> {
      return db.write([], async (tx) => {
        const retried = await reviveJob(tx, id, tx.at)
        if (retried?.outcome !== 'retried') return retried
        tx.affectsOthers('jobs')
        tx.afterCommit(wake)
        return retried
      })
    },

    /** Returns the kinds that have a handler here. */
    kinds: (): string[] => [...handlers.keys()],

    listDead: (limit = 100): Promise<JobRow[]> => db.read((tx) => listDeadJobs(tx, limit)),

    settled,
  }

  /**
   * Ignores errors of the store, which are handled elsewhere: jobs that could not be claimed or finished are found
   * again. Others are bugs.
   */
  function ignoreStoreErrors(error: unknown): void {
    if (isOfStore(error)) return
    if (deps.log === undefined)
      queueMicrotask(() => {
        throw error
      })
    else deps.log.error('the queue of jobs failed', { error: stackOf(error) })
  }

  /** Resolves when nothing is being claimed or run. */
  async function settled(): Promise<void> {
    while (pumping !== null || running.size > 0) await (pumping ?? Promise.all(running.values()))
  }
}

function dueTime(at: string, { dueAt, delayMs, schedule }: NewJob): string {
  // Parsed even when it does not determine the first time: an invalid schedule is refused here, not at its first run.
  const next = schedule === undefined ? at : nextScheduled(schedule, at)
  if (next === null) throw refusal('invalid_input', `the schedule "${schedule}" matches no time in the future`)
  if (dueAt !== undefined) return dueAt
  return delayMs === undefined ? next : isoAt(Date.parse(at) + delayMs)
}

/** How soon the queue looks again after the store has refused, or while another worker claims the same jobs. */
const retryMs = 1_000

const isOfStore = (error: unknown): boolean =>
  error instanceof AgencyError && ['store_full', 'store_unusable', 'stopping'].includes(error.code)

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

const describe = (error: unknown): string =>
  storable(shorten(redact(error instanceof Error ? error.message : String(error)), 2_000))
