import { pause } from '../../src/kernel/clock.ts'
import { type ChaosPointName, chaosPointNames } from '../../src/kernel/chaos-point.ts'
import type { Ended, Installation, Life } from './installation.ts'
import { shuffled } from './random.ts'

/** Where a daemon dies: at a chaos point, or at a moment that nothing in it chose. */
export type Place = ChaosPointName | 'while starting' | 'at any moment' | 'with nothing to do'

/** Every place that it comes to while there is work, again and again, in another order each time. */
export function* placesInTurn(random: () => number): Generator<Place, never> {
  for (;;) yield* shuffled([...chaosPointNames, 'while starting', 'at any moment'] as const, random)
}

export interface Death {
  /** False where it did not come to the point in time, and was killed wherever it was. */
  readonly reached: boolean
  readonly ended: Ended
}

/** One life that ends at the place. `startMs` is what a start takes on this machine. */
export async function dieAt(
  installation: Installation,
  place: Place,
  { random, startMs, killAgent }: { random: () => number; startMs: number; killAgent: () => void },
): Promise<Death> {
  if (isPoint(place)) return await dieAtPoint(installation, place, { random, startMs })
  const life = installation.start()
  if (place === 'while starting') await Promise.race([life.ready, pause(random() * startMs)])
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
  const nth = /^(job|recovery|gate|question)\./.test(point) ? 1 : 1 + Math.floor(random() * 3)
  const life = installation.start({ kill: `${point}:${nth}` })
  const reached = await endsWithin(life, 5_000 + 10 * startMs)
  if (!reached) life.kill()
  return { reached, ended: await life.ended }
}

const isPoint = (place: Place): place is ChaosPointName => (chaosPointNames as readonly string[]).includes(place)

/** The daemon's own job comes once an hour; nobody waits for that. */
export const makeJobDue = ({ query }: Installation): Promise<unknown> =>
  query("UPDATE jobs SET due_at = '2020-01-01T00:00:00.000Z' WHERE kind = 'housekeeping'")

const endsWithin = (life: Life, patienceMs: number): Promise<boolean> =>
  Promise.race([life.ended.then(() => true), pause(patienceMs).then(() => false)])
