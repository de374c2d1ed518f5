import type { Commit, Db, Tx } from '../../src/db/port.ts'
import { openTx } from '../../src/db/tx.ts'
import type { ChaosPoint } from '../../src/kernel/chaos-point.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { isoAt } from '../../src/kernel/clock.ts'
import { refusal } from '../../src/kernel/errors.ts'
import { never } from './never.ts'
import type { Random } from './random.ts'
import { cutOff, failedRead, fullDisk, lostAnswer } from './simulated-errors.ts'
import { createFreeze, type Freeze } from './workers/freeze.ts'
import type { World } from './world.ts'

/** A process with all that it reaches: it may die at any moment, and then has no effect any more. */
export interface SimProcess {
  readonly boot: number
  readonly random: Random
  /** Draws of its own, so that the kinds of trouble that were added later change no draw of the first ones. */
  readonly troubles: Random
  readonly db: Db
  readonly clock: Clock
  readonly chaosPoint: ChaosPoint
  /** The attempts that it follows. */
  readonly launched: Set<string>
  readonly freeze: Freeze
  isDead(): boolean
  die(how: string): void
  /** Waits while the process is halted; never resolves when it is dead. */
  alive<T>(ask: () => Promise<T>): Promise<T>
  /** Cuts the process off from the store, or connects it again. */
  cut(isCut: boolean): void
  isCut(): boolean
  /** Halts the process, or lets it go on. */
  halt(isHalted: boolean): void
  /** Since when the process runs and reaches the store; now, if it does not. */
  soundSinceMs(): number
  /** Sets the clock of the process forwards or backwards. */
  jump(ms: number): void
}

export interface ProcessOptions {
  /** True if other processes use the store at the same time. */
  readonly isShared: boolean
  /** The difference of its clock from that of the store. */
  readonly skewMs: number
  /** Called at its death, with the draws of the process. */
  readonly died: (random: Random) => void
}

export function createProcess(world: World, { isShared, skewMs, died }: ProcessOptions): SimProcess {
  const boot = ++world.boots
  const random = world.random.about(`life ${boot}`)
  const troubles = random.about('troubles')
  const freeze = createFreeze()
  const timers = new Set<() => void>()
  const launched = new Set<string>()
  const listeners = new Set<(commit: Commit) => void>()
  let dead = false
  let isCut = false
  let aheadMs = skewMs
  let soundSinceMs = world.clock.nowMs()

  const die = (how: string): void => {
    if (dead) return
    dead = true
    world.fault(how)
    world.hearers.delete(hear)
    for (const cancel of timers) cancel()
    timers.clear()
    // Calls that it has not recorded yet are known to nobody.
    for (const attemptId of launched) if (!isRecorded(world, attemptId)) markCutOff(world, attemptId)
    died(random)
  }
  const mayDie = (chance: number): boolean => world.phase === 'busy' && !dead && random.chance(chance)

  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (dead) return never()
    if (freeze.isFrozen()) await freeze.thawed
    try {
      const answered = await ask()
      if (freeze.isFrozen()) await freeze.thawed
      return dead ? never() : answered
    } catch (error) {
      if (freeze.isFrozen()) await freeze.thawed
      if (dead) return never()
      throw error
    }
  }

  const refuseCut = (): void => {
    if (isCut) throw refusal('store_unusable', cutOff)
  }

  /** Delivers a commit of another process, now or when this one runs again. */
  function hear(commit: Commit): void {
    if (dead || isCut) return
    if (freeze.isFrozen()) return freeze.keep('message', () => hear(commit))
    notify(commit)
  }

  function notify(commit: Commit): void {
    for (const listener of listeners) deliver(listener, commit)
  }

  function deliver(listener: (commit: Commit) => void, commit: Commit): void {
    if (dead) return
    if (world.phase === 'busy' && random.chance(world.rates.lostWake)) return world.fault('lost wake')
    listener(commit)
    if (world.phase !== 'busy' || !random.chance(world.rates.doubleWake)) return
    world.fault('repeated wake')
    listener(commit)
  }

  /** Announces a commit to this process, unless its answer is lost, and to the others. */
  function announceLater(tx: Tx, isAnswerLost: boolean): void {
    const { wroteEvents, mayBeReady, affected, afterCommitCallbacks } = openTx(tx)
    const commit = { mayBeReady, jobs: affected.has('jobs'), agents: affected.has('agents') }
    if (!wroteEvents) return
    afterCommitCallbacks.push(() => {
      if (!isAnswerLost) notify({ ...commit, isForeign: false })
      for (const other of world.hearers) if (other !== hear) other({ ...commit, isForeign: true })
    })
  }

  /** Remembers which process wrote an event: the event itself names only the engine. */
  function noteWriter(tx: Tx): void {
    const open = openTx(tx)
    const insert = open.insertEvent.bind(open)
    open.insertEvent = (columns) => {
      world.writers.set(`${columns['stream']} ${columns['seq']}`, boot)
      insert(columns)
    }
  }

  const db: Db = {
    ...world.db,
    isShared,
    write: (streams, work) =>
      alive(async () => {
        refuseCut()
        if (world.phase === 'busy' && random.chance(world.rates.fullDisk)) {
          world.fault('full disk')
          throw refusal('store_full', fullDisk)
        }
        const isAnswerLost = world.phase === 'busy' && troubles.chance(world.rates.lostAnswer)
        const fate = mayDie(world.rates.deathByCommit) ? random.pick(['before', 'within', 'after'] as const) : null
        if (fate === 'before') {
          die('death before a commit')
          return never()
        }
        const written = await world.db.write(streams, async (tx) => {
          // A transaction that a dead process had only requested does not happen.
          if (dead) throw diedBefore
          if (isShared) noteWriter(tx)
          const value = await work(tx)
          if (fate === 'within') die('death within a transaction')
          if (dead) throw diedBefore
          if (fate === 'after') die('death after a commit')
          // A process that learns of no commit calls nothing back.
          if (isAnswerLost) openTx(tx).afterCommitCallbacks.length = 0
          if (isShared) announceLater(tx, isAnswerLost)
          return value
        })
        if (!isAnswerLost) return written
        world.fault('lost answer')
        throw refusal('store_unusable', lostAnswer)
      }),
    read: (work) =>
      alive(async () => {
        refuseCut()
        if (world.phase !== 'busy' || !troubles.chance(world.rates.failedRead)) return world.db.read(work)
        world.fault('failed read')
        throw refusal('store_unusable', failedRead)
      }),
    writeApart: (work) => db.write([], work),
    onCommit: (listener) => {
      if (!isShared) return world.db.onCommit((commit) => deliver(listener, commit))
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    recheck: () => notify(unknownCommit),
  }
  if (isShared) world.hearers.add(hear)

  const clock: Clock = {
    nowMs: () => world.clock.nowMs() + aheadMs,
    at: () => (aheadMs === 0 ? world.clock.at() : isoAt(world.clock.nowMs() + aheadMs)),
    after(ms, callback) {
      if (dead) return () => {}
      let isOver = false
      const fire = (): void => {
        if (isOver || dead) return
        if (freeze.isFrozen()) return freeze.keep('timer', fire)
        isOver = true
        timers.delete(stop)
        callback()
      }
      const cancel = world.clock.after(ms, fire)
      const stop = (): void => {
        isOver = true
        timers.delete(stop)
        cancel()
      }
      timers.add(stop)
      return stop
    },
  }

  return {
    boot,
    random,
    troubles,
    db,
    clock,
    chaosPoint: (point) => {
      if (mayDie(world.rates.deathByChaosPoint)) die(`death at ${point}`)
    },
    launched,
    freeze,
    isDead: () => dead,
    die,
    alive,
    cut(cuts) {
      const wasCut = isCut
      isCut = cuts
      soundSinceMs = world.clock.nowMs()
      // Notifications were missed, so anything may have happened.
      if (wasCut && !cuts) hear({ ...unknownCommit, mayBeReady: true, jobs: true, agents: true })
    },
    isCut: () => isCut,
    halt(isHalted) {
      soundSinceMs = world.clock.nowMs()
      if (isHalted) freeze.begin()
      else freeze.end()
    },
    soundSinceMs: () => (isCut || freeze.isFrozen() || dead ? world.clock.nowMs() : soundSinceMs),
    jump: (ms) => void (aheadMs += ms),
  }
}

const diedBefore = new Error('the process is dead')
const unknownCommit: Commit = { mayBeReady: false, jobs: false, agents: false, isForeign: true }

/** Reports whether all calls of an agent that has ended are in the ledger. */
const isRecorded = ({ agents, played, history }: World, attemptId: string): boolean =>
  !agents.has(attemptId) &&
  (played.get(attemptId)?.calls.length ?? 0) ===
    [...history.rows('spends').values()].filter((spend) => spend['attempt_id'] === attemptId).length

/** Notes that the calls of an agent may be unknown to everybody. */
export function markCutOff({ played }: World, attemptId: string): void {
  const calls = played.get(attemptId)
  if (calls !== undefined) calls.isCutOff = true
}
