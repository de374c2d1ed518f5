import { listEnded } from '../../work/attempts/store.ts'
import { listStops } from '../../work/stops/store.ts'
import { type LiveAttempt, startAttempt } from '../attempt/attempt.ts'
import { createCaps } from './caps.ts'
import { claimBriefs } from './claim.ts'
import type { EngineDeps } from '../deps.ts'
import { cleanRun } from '../git/clean.ts'
import { integrate } from '../git/integrate.ts'
import { onTimer } from './timers.ts'
import { recoverAttempts } from './recover.ts'
import { heartbeat, heartbeatMs } from './workers-store.ts'

export interface Engine {
  /** Takes up what an earlier life left behind, then starts claiming. */
  start(): Promise<void>
  /** Interrupts its agents, records that, and resolves when nothing of it runs any more. */
  stop(): Promise<void>
  /** Something may have become ready. Cheap, and safe to call too often. */
  wake(): void
  /** Looks after what a lost wake-up would leave lying. */
  sweep(): Promise<void>
  /** Ends the agents of these attempts: their run was cancelled. */
  interrupt(attemptIds: readonly string[]): void
  touch(attemptId: string): void
  /** Does in git what a run waits for. */
  integrate(runId: string): Promise<void>
  /** A time that a playbook has asked for has come. */
  timer(timer: { runId: string; name: string; part: string }): Promise<void>
  /** Removes what an ended run has left of its clones. */
  clean(runId: string): Promise<void>
  /** Something was stopped: agents at work there are interrupted. */
  applyStops(): void
  running(): number
  /** Resolves when nothing is ready and nothing runs here. */
  idle(): Promise<void>
}

const sweepMs = 30_000

/** Claim, launch, follow, classify, apply: see the other files of this folder for each. */
export function createEngine(parts: EngineDeps): Engine {
  const stopped = new AbortController()
  const deps: EngineDeps = { ...parts, stopped: stopped.signal }
  const live = new Map<string, LiveAttempt>()
  const caps = createCaps()
  let passing: Promise<void> | null = null
  let again = false
  let started = false
  let stopping = false
  const timers = new Set<() => void>()
  let stopPending = false
  let holdTimer: { until: string; cancel: () => void } | null = null

  function wake(): void {
    if (!started || stopping) return
    if (passing !== null) {
      again = true
      return
    }
    passing = pass().finally(() => {
      passing = null
      if (again) {
        again = false
        wake()
      }
    })
  }

  async function pass(): Promise<void> {
    try {
      const free = deps.slots - live.size
      // Full, there is nothing to look for; but another process may have stopped what runs here.
      if (free <= 0 && !stopPending && deps.db.kind === 'sqlite') return
      const { claimed, stopped, heldUntil } = await claimBriefs(deps, Math.max(0, free), caps)
      for (const each of claimed) begin(startAttempt(deps, each))
      stopPending = false
      if (stopped) await interruptStopped()
      wakeAfterHold(heldUntil)
    } catch (error) {
      // Nothing is lost: what is ready stays ready, and the sweep comes by again.
      deps.log.error('claiming failed', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }
  }

  /** Before the launch nobody waits for them, and after it nothing is lost: they start again when it is lifted. */
  async function interruptStopped(): Promise<void> {
    const stops = await deps.db.read(listStops)
    const isEverywhere = stops.some((stop) => stop.organisationId === null)
    const stoppedIds = new Set(stops.map((stop) => stop.organisationId))
    for (const attempt of live.values())
      if (isEverywhere || stoppedIds.has(attempt.organisationId)) attempt.stop('stopped')
  }

  /** The sweep would find it, but up to half a minute late. */
  function wakeAfterHold(until: string | null): void {
    if (until === null || holdTimer?.until === until) return
    holdTimer?.cancel()
    const ms = Math.max(0, Date.parse(until) - deps.clock.nowMs())
    const cancel = deps.clock.after(ms, () => {
      holdTimer = null
      wake()
    })
    holdTimer = { until, cancel }
  }

  function begin(attempt: LiveAttempt): void {
    live.set(attempt.attemptId, attempt)
    if (stopping) attempt.stop('daemon_stop')
    void attempt.ended.then(() => {
      live.delete(attempt.attemptId)
      wake()
    })
  }

  async function sweep(): Promise<void> {
    if (!started || stopping) return
    try {
      const ended = await deps.db.read((tx) => listEnded(tx, [...live.keys()]))
      for (const attemptId of ended) live.get(attemptId)?.stop('cancelled')
      if (deps.db.kind === 'postgres') await recoverAttempts(deps)
    } catch (error) {
      deps.log.error('the sweep failed', { error: String(error) })
    }
    wake()
    await deps.alsoSweep?.()
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

  const stopWaking = deps.db.onCommit(wake)

  return {
    async start() {
      await recoverAttempts(deps)
      started = true
      every(sweepMs, sweep)
      // The embedded store has one owner, whose death the next start proves; only shared ones need a pulse.
      if (deps.db.kind === 'postgres') every(heartbeatMs, () => heartbeat(deps.db, deps.worker).catch(() => {}))
      wake()
    },
    async stop() {
      stopping = true
      stopWaking()
      for (const cancel of timers) cancel()
      holdTimer?.cancel()
      await passing
      stopped.abort()
      for (const attempt of live.values()) attempt.stop('daemon_stop')
      await Promise.all([...live.values()].map((attempt) => attempt.ended))
    },
    wake,
    sweep,
    interrupt(attemptIds) {
      for (const attemptId of attemptIds) live.get(attemptId)?.stop('cancelled')
    },
    applyStops() {
      stopPending = true
      wake()
    },
    integrate: (runId) => integrate(deps, runId),
    clean: (runId) => cleanRun(deps, runId),
    timer: (timer) => onTimer(deps, timer),
    touch: (attemptId) => live.get(attemptId)?.touch(),
    running: () => live.size,
    async idle() {
      while (passing !== null || live.size > 0) {
        await passing
        await Promise.all([...live.values()].map((attempt) => attempt.ended))
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    },
  }
}
