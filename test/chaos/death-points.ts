import { pause } from '../../src/kernel/clock.ts'
import { type ChaosPointName, chaosPointNames, repositoryPointNames } from '../../src/kernel/chaos-point.ts'
import type { Ended, Installation, Life } from './installation.ts'
import { shuffled } from './random.ts'

/** The point of a daemon's death: a chaos point, or a moment that does not depend on its code. */
export type DeathPoint = ChaosPointName | 'while starting' | 'at any moment' | 'with nothing to do'

/** Every chaos point: the runs of a soak pass them all. */
export const allPoints: readonly ChaosPointName[] = [...chaosPointNames, ...repositoryPointNames]

/** Yields all points that a busy daemon passes, repeatedly, each time in another order. */
export function* deathPointsInTurn(random: () => number): Generator<DeathPoint, never> {
  for (;;) yield* shuffled([...allPoints, 'while starting', 'at any moment'] as const, random)
}

export interface Death {
  /** False if the daemon did not pass the point in time and was killed at an arbitrary moment. */
  readonly reached: boolean
  readonly ended: Ended
}

/** Starts a daemon that dies at the point. `startMs` is the duration of a start on this machine. */
export async function dieAt(
  installation: Installation,
  point: DeathPoint,
  { random, startMs, killAgent }: { random: () => number; startMs: number; killAgent: () => void },
): Promise<Death> {
  if (isPoint(point)) return await dieAtPoint(installation, point, { random, startMs })
  const life = installation.start()
  if (point === 'while starting') await Promise.race([life.ready, pause(random() * startMs)])
  else {
    await life.ready
    await pause(random() * 2.5 * startMs)
    killAgent()
  }
  life.kill()
  return { reached: true, ended: await life.ended }
}

async function dieAtPoint(
  installation: Installation,
  point: ChaosPointName,
  { random, startMs }: { random: () => number; startMs: number },
): Promise<Death> {
  if (point.startsWith('job.')) await makeJobDue(installation)
  const nth = isOfEveryAttempt.test(point) ? 1 + Math.floor(random() * 3) : 1
  const life = installation.start({ kill: `${point}:${nth}` })
  const reached = await endsWithin(life, 5_000 + 10 * startMs)
  if (!reached) life.kill()
  return { reached, ended: await life.ended }
}

/** Points that a busy daemon passes often enough to wait for a later passing. */
const isOfEveryAttempt = /^(brief|workspace|agent|attempt|examination|evidence)\./

const isPoint = (point: DeathPoint): point is ChaosPointName => (allPoints as readonly string[]).includes(point)

/** Makes the daemon's hourly job due, so that tests need not wait for it. */
export const makeJobDue = ({ query }: Installation): Promise<unknown> =>
  query("UPDATE jobs SET due_at = '2020-01-01T00:00:00.000Z' WHERE kind = 'housekeeping'")

const endsWithin = (life: Life, patienceMs: number): Promise<boolean> =>
  Promise.race([life.ended.then(() => true), pause(patienceMs).then(() => false)])
