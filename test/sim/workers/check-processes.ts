import { columns, integer, optional, text } from '../../../src/db/columns.ts'
import { outsideRequests } from '../../../src/db/once.ts'
import type { ReadTx } from '../../../src/db/port.ts'
import { sqlOf } from '../../../src/db/tx.ts'
import { fencedAfterMs } from '../../../src/engine/workers-store.ts'
import type { History, Row, SeenEvent } from '../history.ts'
import { nameOf, stepsInto } from '../invariants/brief.ts'
import type { Life, World } from '../world.ts'
import { longestErrandMs } from './errands.ts'

const deadAfterMs = 60_000

/** Checks each event of processes that share a store: whose work it concerns, and which of them wrote it. */
export function watchProcesses(world: World): void {
  if (world.workerRates.workers === 1) return
  world.history.watch((event, history) => {
    for (const { after } of stepsInto(event, 'assigned')) {
      const attempt = history.row('attempts', after?.['attempt_id'] as string) as Row
      checkFence(world, attempt, `claims ${nameOf(after as Row)}`)
    }
    for (const { table, before, after } of event.steps) {
      if (table !== 'attempts' || before === null || after === null) continue
      if (after['status'] === 'examining' && before['status'] !== 'examining')
        checkFence(world, after, `examines ${after['id']}`)
      checkHolder(world, event, before, after)
      if (isTakenOver(world, event, before, after)) checkDead(world, before)
    }
  })
  world.history.inspect((_, history) => checkAgentsOfBriefs(world, history))
}

/** Checks that a process without heartbeats claims nothing. */
function checkFence(world: World, { worker }: Row, does: string): void {
  const life = lifeOf(world, worker)
  const silentMs = life === undefined ? 0 : silenceOf(world, life)
  if (silentMs > fencedAfterMs)
    world.fail('a process without heartbeats acts on nothing', `${worker} ${does} after ${silentMs} ms without one`)
}

/** Checks that only the process that examines an attempt records a result of it. */
function checkHolder(world: World, event: SeenEvent, before: Row, after: Row): void {
  if (before['status'] !== 'examining' || after['status'] !== 'ended' || after['outcome'] === 'interrupted') return
  const holder = lifeOf(world, before['worker'])
  const writer = writerOf(world, event)
  if (writer === undefined || holder === undefined || holder.boot === writer || event.by !== 'engine') return
  world.fail(
    'an examination is done by one process at a time',
    `the process ${writer} records a result of ${after['id']}, which ${before['worker']} examines`,
  )
}

/** Reports whether a process gave up an attempt that another one held. */
function isTakenOver(world: World, event: SeenEvent, before: Row, after: Row): boolean {
  const holder = lifeOf(world, before['worker'])
  const writer = writerOf(world, event)
  if (holder === undefined || writer === undefined || holder.boot === writer) return false
  if (before['status'] === 'examining') return after['status'] === 'reported'
  return after['status'] === 'ended' && after['detail'] === 'daemon_restart' && before['status'] !== 'ended'
}

/** Checks that work is taken over only from a process that counts as dead, or that was replaced. */
function checkDead(world: World, { id, worker }: Row): void {
  const life = lifeOf(world, worker)
  if (life === undefined || silenceOf(world, life) > deadAfterMs) return
  const [name = '', boot] = String(worker).split(':')
  const look = async (tx: ReadTx): Promise<void> => {
    const row = await registrations.first(sqlOf(tx), 'SELECT boot, stopped_at FROM workers WHERE id = ?', [name])
    if (row?.boot === Number(boot) && row.stoppedAt === null)
      world.fail('only the work of a dead process is taken over', `${id} of ${worker}, which sends heartbeats`)
  }
  void outsideRequests(() => world.db.read(look))
}

const registrations = columns({ boot: integer, stoppedAt: optional(text) })

/** Checks that no agent of an attempt that was taken over works beside the one that replaced it. */
function checkAgentsOfBriefs(world: World, history: History): void {
  const working = new Map<string, Row>()
  for (const attemptId of world.agents.keys()) {
    const attempt = world.escaped.has(attemptId) ? undefined : history.row('attempts', attemptId)
    if (attempt === undefined) continue
    const briefId = attempt['brief_id'] as string
    const other = working.get(briefId)
    working.set(briefId, attempt)
    if (other === undefined) continue
    const [older, newer] = Number(other['fence']) < Number(attempt['fence']) ? [other, attempt] : [attempt, other]
    if (older['detail'] === 'daemon_restart' || older['status'] !== 'ended')
      world.fail(
        'one agent works on a brief',
        `the agents of ${older['id']} (${older['detail'] ?? older['status']}) and ${newer['id']} are alive`,
      )
  }
}

/** Checks, while time passes, that agents end soon after their attempts, and before others may take over their work. */
export function checkAgentsInTime(world: World): void {
  for (const life of world.lives) {
    if (life.beatMs === null || life.process.freeze.isFrozen()) continue
    checkReplaced(world, life)
    const isFenced = silenceOf(world, life) > fencedAfterMs
    for (const attemptId of life.process.launched) {
      if (!world.agents.has(attemptId) || world.escaped.has(attemptId)) continue
      if (isFenced)
        world.fail(
          'a process without heartbeats acts on nothing',
          `the agent of ${attemptId} of ${life.worker} is alive`,
        )
      const attempt = world.history.row('attempts', attemptId)
      if (attempt?.['status'] !== 'ended') continue
      const sinceMs = Math.max(Date.parse(attempt['ended_at'] as string), life.process.soundSinceMs())
      if (world.clock.nowMs() - sinceMs > patienceMs(world))
        world.fail('an agent ends soon after its attempt', `the agent of ${attemptId} of ${life.worker} is alive`)
    }
  }
}

/**
 * Checks that a process ends whose id another one has registered: its heartbeats are refused. It stops when it learns of
 * that, and then waits for its jobs.
 */
function checkReplaced({ lives, clock, fail, rates }: World, life: Life): void {
  const successor = lives.find(({ socket, boot }) => socket === life.socket && boot > life.boot)
  if (successor === undefined || rates.fullDisk > 0) return
  const knowableMs = Math.max(life.process.soundSinceMs(), successor.beganMs)
  const allowedMs = fencedAfterMs + (life.isStopping ? longestErrandMs : 0)
  if (clock.nowMs() - knowableMs > allowedMs)
    fail('a process that was replaced ends', `${life.worker} lives on beside ${successor.worker}`)
}

/** Two sweeps; more if reads of a sweep may fail. */
const patienceMs = ({ rates }: World): number => (rates.failedRead > 0 ? 400_000 : 65_000)

const silenceOf = ({ clock }: World, { beatMs }: Life): number => (beatMs === null ? 0 : clock.nowMs() - beatMs())

const lifeOf = ({ lives }: World, worker: unknown): Life | undefined => lives.find((life) => life.worker === worker)

const writerOf = ({ writers }: World, { stream, seq }: SeenEvent): number | undefined => writers.get(`${stream} ${seq}`)
