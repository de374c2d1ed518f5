import type { History, Row } from '../history.ts'
import type { Life, World } from '../world.ts'
import { openRuns, stepsInto } from './brief.ts'

/**
 * Checks that no ready run waits for long: each process reaches a run without an agent at work after at most two turns
 * of every other run of its priority, and a run does not wait at all while a process has free slots.
 */
export function watchFairness(world: World): Fairness {
  const { history } = world
  /** The turns of other runs, by process, since a run is ready without an agent at work. */
  const waiting = new Map<string, { sinceMs: number; turns: Map<string, number> }>()
  const freeSinceMs = new WeakMap<Life, number>()
  let turns: { run: Row; worker: string }[] = []

  history.watch((event) => {
    for (const { after } of stepsInto(event, 'assigned')) {
      const { worker } = history.row('attempts', after?.['attempt_id'] as string) as Row
      turns.push({ run: history.row('runs', after?.['run_id'] as string) as Row, worker: String(worker) })
    }
  })
  history.inspect(() => {
    // Several briefs of one run that are claimed together are one turn.
    const taken = new Map(turns.map((turn) => [`${String(turn.run['id'])} ${turn.worker}`, turn]))
    turns = []
    for (const run of openRuns(world)) {
      const runId = run['id'] as string
      const known = waiting.get(runId)
      if (!isReady(world, run)) waiting.delete(runId)
      else if (known === undefined) waiting.set(runId, { sinceMs: world.clock.nowMs(), turns: new Map() })
      else for (const [key, turn] of taken) if (isNoMoreUrgent(turn.run, run)) count(runId, known.turns, key)
    }
  })

  function count(runId: string, counted: Map<string, number>, key: string): void {
    const number = (counted.get(key) ?? 0) + 1
    counted.set(key, number)
    if (number > mostTurns(world))
      world.fail('runs take turns', `${runId} waits for a slot while ${key} has its turn ${number} times`)
  }

  return {
    check() {
      if (world.workerRates.workers === 1 && world.rates.clockJump > 0) return
      const nowMs = world.clock.nowMs()
      for (const life of world.lives) {
        // A process that stops claims nothing more.
        const isFree =
          !life.isStopping && life.agency.engine.running() < life.slots && life.process.soundSinceMs() < nowMs
        if (!isFree) freeSinceMs.delete(life)
        else if (!freeSinceMs.has(life)) freeSinceMs.set(life, nowMs)
      }
      for (const [runId, { sinceMs }] of waiting) {
        const run = history.row('runs', runId) as Row
        if (!isReady(world, run)) continue
        for (const life of world.lives) {
          const beganMs = Math.max(sinceMs, freeSinceMs.get(life) ?? nowMs, life.process.soundSinceMs())
          if (nowMs - beganMs > patienceMs(world))
            world.fail('a ready run starts while there are slots', `${runId} waits for ${life.worker}`)
        }
      }
    },
  }
}

export interface Fairness {
  /** Called while time passes. */
  check(): void
}

/** A search that began before the run was ready is one more turn; a full disk makes a run miss its own. */
const mostTurns = ({ rates }: World): number => (rates.fullDisk > 0 ? 8 : 3)

/** Two sweeps, or more if they may fail. */
const patienceMs = ({ rates }: World): number =>
  rates.failedRead + rates.fullDisk + rates.lostAnswer > 0 ? 400_000 : 65_000

/** The order of claims begins with the rank of the priority. */
const isNoMoreUrgent = (other: Row, run: Row): boolean => other['id'] !== run['id'] && rankOf(other) >= rankOf(run)

const rankOf = (run: Row): number => Number(String(run['claim_order'])[0])

/** Reports whether nothing but slots keeps a run without an agent at work from starting. */
function isReady(world: World, run: Row): boolean {
  const { history, lives } = world
  const runId = run['id'] as string
  if (run['status'] !== 'running' || run['abandoned'] === 1 || history.rows('stops').size > 0) return false
  if (history.of('attempts', runId).some(({ status }) => status === 'launching' || status === 'running')) return false
  if (lives.some(({ agency }) => agency.engine.isLeftOut(runId))) return false
  return history.of('briefs', runId).some((brief) => mayStart(world, history, run, brief))
}

function mayStart({ clock }: World, history: History, run: Row, brief: Row): boolean {
  if (brief['status'] !== 'pending' || brief['unmet_dependencies'] !== 0 || brief['hold_count'] !== 0) return false
  if (run['briefs_failed'] !== 0 && brief['starts_after_failure'] !== 1) return false
  for (const hold of history.rows('provider_holds').values())
    if (hold['provider'] === brief['provider'] && (hold['until'] as string) > clock.at()) return false
  // A budget may have too little left for another agent.
  return history.rows('budgets').size === 0
}
