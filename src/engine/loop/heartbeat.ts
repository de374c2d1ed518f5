import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { Db } from '../../db/port.ts'
import type { Engine } from './engine.ts'
import { fencedAfterMs, heartbeat, heartbeatMs } from '../workers-store.ts'

export interface HeartbeatDeps {
  readonly db: Db
  readonly worker: string
  readonly clock: Clock
  readonly log: Log
  readonly engine: Pick<Engine, 'cutOff' | 'reconnect'>
  /** Another process has registered under the id of this worker: this one has to end. */
  readonly superseded: () => void
}

export interface Heartbeat {
  start(): void
  stop(): void
}

/**
 * Tells the other processes of a shared store that this one lives. Without a successful heartbeat for 45 seconds it
 * gives its work up by itself: after 60 seconds another process takes it over, and two agents would work on one brief.
 * The wait is counted from the moment a heartbeat was sent, by timers, which no change of the clock affects.
 */
export function createHeartbeat({ db, worker, clock, log, engine, superseded }: HeartbeatDeps): Heartbeat {
  let fenced = false
  let ended = false
  let cancelNext = (): void => {}
  let cancelFence = (): void => {}

  function fence(): void {
    if (fenced || ended) return
    fenced = true
    log.error('no heartbeat reached the store; all agents are interrupted, and no work is claimed', {
      seconds: fencedAfterMs / 1_000,
    })
    engine.cutOff()
  }

  async function send(): Promise<void> {
    const cancel = clock.after(fencedAfterMs, fence)
    let isMine: boolean
    try {
      isMine = await heartbeat(db, worker)
    } catch (error) {
      cancel()
      if (!ended) log.warn('a heartbeat did not reach the store', { error: String(error) })
      return
    }
    if (ended) return cancel()
    if (!isMine) return giveWay(cancel)
    cancelFence()
    cancelFence = cancel
    if (!fenced) return
    fenced = false
    log.warn('heartbeats reach the store again; work is claimed again')
    await engine.reconnect()
  }

  function giveWay(cancel: () => void): void {
    cancel()
    stop()
    fenced = true
    engine.cutOff()
    superseded()
  }

  function arm(): void {
    if (ended) return
    cancelNext = clock.after(heartbeatMs, () => void send().finally(arm))
  }

  function stop(): void {
    ended = true
    cancelNext()
    cancelFence()
  }

  return {
    start() {
      cancelFence = clock.after(fencedAfterMs, fence)
      void send().finally(arm)
    },
    stop,
  }
}
