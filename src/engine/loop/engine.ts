import { refusal } from '../../kernel/errors.ts'
import { listEnded } from '../../work/attempts/store.ts'
import { listEndedProofs } from '../../work/proofs/store.ts'
import type { ProofFinding } from '../../work/proofs/contract.ts'
import { listEndedRepeats } from '../../work/repeats/store.ts'
import { listStops } from '../../work/stops/store.ts'
import type { LiveAttempt } from '../attempt/driver.ts'
import { createSpawnDriver, type ExaminationSlots } from '../attempt/spawn.ts'
import type { Claimed } from '../attempt/start.ts'
import { type Examination, startExamination } from '../examination/examination.ts'
import { examineAtOnce } from '../examination/examine-at-once.ts'
import { createForesight } from '../examination/foresight.ts'
import { claimBriefs } from './claim.ts'
import { claimExaminations } from './claim-examinations.ts'
import type { EngineDeps } from '../deps.ts'
import { cleanRun } from '../git/clean.ts'
import { integrate } from '../git/integrate.ts'
import { land, type LandingTry } from '../git/land.ts'
import { findProofToMake, type LiveProof, startProving } from '../git/prove.ts'
import { findRepeatToMake, type LiveRepeat, startRepeating } from '../git/repeat.ts'
import { onTimer } from './timers.ts'
import { killOrphans, recoverAttempts } from './recover.ts'
import { createPace } from './pace.ts'
import { createSearch } from './search.ts'

export interface Engine {
  /** Marks abandoned attempts of earlier processes, then starts to claim. */
  start(): Promise<void>
  /** Interrupts agents and checks, records that, and resolves when no process of the engine is left. */
  stop(): Promise<void>
  /** Looks for work. It is cheap and may be called too often. */
  wake(): void
  /** Finds work after a lost wake-up or a lost response of the store. */
  sweep(): Promise<void>
  /** Ends the agents and checks of attempts that were ended. */
  interrupt(attemptIds: readonly string[]): void
  touch(attemptId: string): void
  /**
   * Notes whether the store has failed the newest request of an agent: if the agent ends because of that, it is not its
   * fault.
   */
  noteStoreTrouble(attemptId: string, hasTrouble: boolean): void
  /** Does the merges of a run. */
  integrate(runId: string): Promise<void>
  /** Lands the approved result of a run. */
  land(runId: string, attempt: LandingTry): Promise<void>
  /** Proves the merged result of a run. `tries`: the number of earlier tries that could not check it. */
  prove(runId: string, tries: number): Promise<void>
  /** Checks all evidence of a run again, if that was requested. */
  repeat(runId: string, tries: number): Promise<void>
  /** Returns what a repeat of this process has found so far. */
  progressOf(repeatId: string): readonly ProofFinding[]
  /** Hands a playbook a timer that has expired. */
  timer(timer: { runId: string; name: string; part: string }): Promise<void>
  /** Removes the clones of an ended run. */
  clean(runId: string): Promise<void>
  /** Interrupts agents and checks in the scope of a new stop. */
  applyStops(): void
  /** Reports whether a run is left out for a while, because its briefs could not be claimed. */
  isLeftOut(runId: string): boolean
  /** Interrupts all agents and checks and claims nothing until `reconnect`: no heartbeat reaches the store. */
  cutOff(): void
  reconnect(): Promise<void>
  /** Number of agents at work in this process. */
  running(): number
  /** Number of examinations in this process. */
  examining(): number
  /** Resolves when no work is ready and none is under way in this process. */
  idle(): Promise<void>
}

const sweepMs = 30_000
const provePauseMs = 2_000
/** A proof occupies one of the handlers of the job queue as long as it lasts; gates need some of them too. */
const maxProofs = 8

/** Claims ready briefs and waiting examinations, and follows each to its recorded end. */
export function createEngine(parts: EngineDeps): Engine {
  const stopped = new AbortController()
  const deps: EngineDeps = { ...parts, stopped: stopped.signal, mayClaim: () => !isCutOff }
  const live = new Map<string, LiveAttempt>()
  const examining = new Map<string, Examination>()
  const proving = new Map<string, LiveProof>()
  const repeating = new Map<string, LiveRepeat>()
  const checkSlots = deps.checkSlots ?? deps.slots
  /** Slots that are reserved for the examinations of ending agents. */
  let promised = 0
  /** False until the checkouts of earlier processes are removed. */
  let mayExamine = false
  /** An examination waits for the removal of these checkouts. */
  let isWaiting = false
  let opened: Promise<void> = Promise.resolve()
  const freeChecks = (): number => (mayExamine && !stopping && !isCutOff ? checkSlots - examining.size - promised : 0)
  const slots: ExaminationSlots = {
    take: () => {
      if (freeChecks() <= 0) return false
      promised++
      return true
    },
    mayUse: () => !isCutOff,
    giveBack: () => {
      promised--
      wake()
    },
  }
  const driver = createSpawnDriver(deps, slots, examineAtOnce)
  const foresight = createForesight(deps)
  const search = createSearch(deps.clock, deps.playbooks)
  let passing: Promise<void> | null = null
  let again = false
  let started = false
  let stopping = false
  /** Attempts that were ended before this process began to examine them: their examinations end at once. */
  const missed = new Set<string>()
  const timers = new Set<() => void>()
  let stopPending = false
  let holdTimer: { untilMs: number; cancel: () => void } | null = null
  /** True while another process may take the work of this one over. */
  let isCutOff = false
  const atWork = () => [...live.values(), ...examining.values(), ...proving.values(), ...repeating.values()]

  function wake(): void {
    if (!started || stopping || isCutOff) return
    if (passing !== null) {
      again = true
      return
    }
    passing = pass().finally(() => {
      passing = null
      for (const id of missed) if (!live.has(id)) missed.delete(id)
      if (again) {
        again = false
        wake()
      }
    })
  }

  async function pass(): Promise<void> {
    // A stop that comes while this pass looks for work is left to the next one.
    const mustStop = stopPending
    stopPending = false
    try {
      const free = deps.slots - live.size
      // There is no room for more work.
      if (free <= 0 && freeChecks() <= 0 && !mustStop) return
      const { claimed, stopped, reported, wakeAtMs, hasFailed } = await claimBriefs(deps, Math.max(0, free), search)
      for (const each of claimed) {
        begin(driver.start(each))
        if (mayExamine) foresight.begin(each)
      }
      if (claimed.length > 0 || reported) pace.found()
      isWaiting = reported && !mayExamine
      if (reported && freeChecks() > 0)
        for (const each of await claimExaminations(deps, freeChecks(), isHeld)) beginExamination(each)
      if (stopped) await interruptStopped()
      wakeAfterHold(wakeAtMs)
      // The slots that were meant for them are left to other runs.
      if (hasFailed) again = true
    } catch (error) {
      stopPending ||= mustStop
      // Nothing is lost: ready work stays ready, and the sweep retries.
      deps.log.error('claiming failed', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }
  }

  /** Interrupts agents and checks in the scope of a stop; they start again when it is lifted. */
  async function interruptStopped(): Promise<void> {
    const stops = await deps.db.read(listStops)
    const isEverywhere = stops.some((stop) => stop.organisationId === null)
    const stoppedIds = new Set(stops.map((stop) => stop.organisationId))
    for (const attempt of atWork()) if (isEverywhere || stoppedIds.has(attempt.organisationId)) attempt.stop('stopped')
  }

  /** Wakes at the end of a hold, which the sweep would find up to half a minute late. */
  function wakeAfterHold(untilMs: number | null): void {
    if (untilMs === null || holdTimer?.untilMs === untilMs) return
    holdTimer?.cancel()
    const ms = Math.max(0, untilMs - deps.clock.nowMs())
    const cancel = deps.clock.after(ms, () => {
      holdTimer = null
      wake()
    })
    holdTimer = { untilMs, cancel }
  }

  function begin(attempt: LiveAttempt): void {
    live.set(attempt.attemptId, attempt)
    if (stopping) attempt.stop('daemon_stop')
    if (isCutOff) attempt.stop('cut_off')
    void attempt.ended.then((examined) => {
      live.delete(attempt.attemptId)
      if (examined !== null) {
        promised--
        beginExamination(examined)
      }
      missed.delete(attempt.attemptId)
      wake()
    })
  }

  function beginExamination(claimed: Claimed): void {
    const examination = startExamination(deps, claimed)
    examining.set(examination.attemptId, examination)
    if (stopping) examination.stop('daemon_stop')
    if (isCutOff) examination.stop('cut_off')
    if (missed.delete(examination.attemptId)) examination.stop('cancelled')
    void examination.ended.then(() => {
      // The commit of its end has already woken the engine; only work that waits for a slot was not looked at then.
      const wasFull = freeChecks() <= 0
      examining.delete(examination.attemptId)
      if (wasFull) wake()
    })
  }

  const isHeld = (attemptId: string): boolean => live.has(attemptId) || examining.has(attemptId)

  /** Runs work between two passes: a committed claim without a response yet must not be treated as abandoned. */
  async function betweenPasses(work: () => Promise<void>): Promise<void> {
    while (passing !== null) await passing
    const worked = work()
    // Only the caller learns of a failure: a stop that waits for this work still has to end the agents.
    passing = Promise.allSettled([worked]).then(() => {
      passing = null
    })
    await passing
    await worked
  }

  async function sweep(): Promise<void> {
    if (!started || stopping || isCutOff) return
    try {
      await interruptEnded()
      await betweenPasses(async () => void (await recoverAttempts(deps, isHeld)))
    } catch (error) {
      deps.log.error('the sweep failed', { error: String(error) })
    }
    // Another process may have set a stop whose notification was lost.
    if (deps.db.isShared) {
      stopPending = true
      deps.db.recheck()
    }
    wake()
    await deps.alsoSweep?.()
  }

  /** Interrupts the agents and checks of attempts that another process has ended. */
  async function interruptEnded(): Promise<void> {
    if (atWork().length === 0) return
    const ended = await deps.db.read(async (tx) => [
      ...(await listEnded(tx, [...live.keys(), ...examining.keys()])),
      ...(await listEndedProofs(tx, [...proving.keys()])),
      ...(await listEndedRepeats(tx, [...repeating.keys()])),
    ])
    interrupt(ended)
  }

  /** Heeds the end of attempts and the stops that another process has recorded. */
  function heedOthers(): void {
    if (atWork().length === 0) return
    stopPending = true
    wake()
    void interruptEnded().catch((error: unknown) => {
      deps.log.error('agents of ended attempts could not be found; the sweep tries again', { error: String(error) })
    })
  }

  function every(ms: number, work: () => Promise<void>): void {
    let cancel = (): void => {}
    const arm = (): void => {
      timers.delete(cancel)
      if (stopping) return
      cancel = deps.clock.after(ms, () => void work().finally(arm))
      timers.add(cancel)
    }
    arm()
  }

  function interrupt(attemptIds: readonly string[]): void {
    for (const id of attemptIds) {
      const found = live.get(id) ?? examining.get(id) ?? proving.get(id) ?? repeating.get(id)
      found?.stop('cancelled')
      // Its examination may begin in a moment: its agent is ending, or it is being claimed.
      if (!examining.has(id) && !proving.has(id) && !repeating.has(id) && (found !== undefined || passing !== null))
        missed.add(id)
    }
  }

  const hasRoomForProof = (): boolean => proving.size + repeating.size < Math.min(checkSlots, maxProofs)

  /** A proof that must wait, for a slot or for the end of a stop, is looked at again after a while. */
  async function prove(runId: string, tries: number): Promise<void> {
    await opened
    const found = await deps.db.read((tx) => findProofToMake(deps, tx, runId))
    if (found === null || proving.has(found.proof.id)) return
    if (stopping) throw refusal('stopping', 'the engine is stopping')
    if (!found.isStopped && hasRoomForProof()) {
      const proof = startProving(deps, found, tries)
      proving.set(proof.proofId, proof)
      const isOver = await proof.ended.finally(() => proving.delete(proof.proofId))
      if (isOver) return
    }
    await deps.db.write([], async (tx) => deps.later?.(tx, { kind: 'prove', runId, delayMs: provePauseMs }))
  }

  async function repeat(runId: string, tries: number): Promise<void> {
    await opened
    const found = await deps.db.read((tx) => findRepeatToMake(deps, tx, runId))
    if (found === null || repeating.has(found.repeat.id)) return
    if (stopping) throw refusal('stopping', 'the engine is stopping')
    if (!found.isStopped && hasRoomForProof()) {
      const begun = startRepeating(deps, found, tries)
      repeating.set(begun.proofId, begun)
      const isOver = await begun.ended.finally(() => repeating.delete(begun.proofId))
      if (isOver) return
    }
    await deps.db.write([], async (tx) => deps.later?.(tx, { kind: 'repeat', runId, delayMs: provePauseMs }))
  }

  /** Checkouts of this process must not be made while those of earlier ones are removed. */
  async function openExaminations(): Promise<void> {
    await deps.workspaces.removeCheckouts(new Set()).catch((error: unknown) => {
      deps.log.warn('checkouts of an earlier process stay on the disk', { error: String(error) })
    })
    mayExamine = true
    if (isWaiting) wake()
  }

  const pace = createPace(deps.clock, wake)
  const stopWaking = deps.db.onCommit(({ mayBeReady, agents, isForeign }) => {
    if (agents && isForeign) heedOthers()
    if (mayBeReady && isForeign) pace.heard()
    else if (mayBeReady) wake()
  })

  return {
    async start() {
      await killOrphans(deps)
      await recoverAttempts(deps, isHeld)
      started = true
      opened = openExaminations()
      every(sweepMs, sweep)
      wake()
    },
    async stop() {
      stopping = true
      stopWaking()
      pace.stop()
      for (const cancel of timers) cancel()
      holdTimer?.cancel()
      // Aborted first, because a sweep that waits for a full disk would otherwise delay the stop until there is space.
      stopped.abort()
      await passing
      while (live.size + examining.size + proving.size + repeating.size > 0) {
        const left = atWork()
        for (const each of left) each.stop('daemon_stop')
        await Promise.allSettled(left.map(({ ended }) => ended))
      }
      await foresight.ended()
    },
    wake,
    sweep,
    interrupt,
    applyStops() {
      stopPending = true
      wake()
    },
    cutOff() {
      isCutOff = true
      for (const each of atWork()) each.stop('cut_off')
    },
    reconnect() {
      isCutOff = false
      return sweep()
    },
    integrate: (runId) => integrate(deps, runId),
    land: (runId, attempt) => land(deps, runId, attempt),
    prove,
    repeat,
    progressOf: (repeatId) => repeating.get(repeatId)?.found() ?? [],
    clean: (runId) => cleanRun(deps, runId),
    timer: (timer) => onTimer(deps, timer),
    touch: (attemptId) => live.get(attemptId)?.touch(),
    noteStoreTrouble: (attemptId, hasTrouble) => live.get(attemptId)?.noteStoreTrouble(hasTrouble),
    isLeftOut: (runId) => search.pauses.runIds().includes(runId),
    running: () => live.size,
    examining: () => examining.size,
    async idle() {
      while (passing !== null || live.size + examining.size > 0) {
        await passing
        await Promise.all([...live.values(), ...examining.values()].map(({ ended }) => ended))
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    },
  }
}
