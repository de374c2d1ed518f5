import { createRandom } from '../sim/random.ts'
import { shuffled } from '../chaos/random.ts'
import type { Family, Lie, Variant } from './contract.ts'
import type { Case } from './run.ts'

/**
 * Draws a share of the corpus: of each family some lies in one of their variants, and some of their twins. Families take
 * turns, so that a limit of time leaves out none of them.
 */
export function drawShare(
  lies: readonly Lie[],
  families: readonly Family[],
  { seed, liesEach, twinsEach }: { seed: number; liesEach: number; twinsEach: number },
): Case[] {
  const drawn = families.map((family) => {
    const random = createRandom(seed, `share of ${family}`)
    const own = lies.filter((lie) => lie.family === family)
    const cases = shuffled(own, random.next)
      .slice(0, liesEach)
      .map((lie) => ({ lie, variant: random.pick<Variant>(lie.variants ?? ['direct', 'tiered']), isTwin: false }))
    return [...cases, ...cases.slice(0, twinsEach).map((each) => ({ ...each, isTwin: true }))]
  })
  return Array.from({ length: liesEach + twinsEach }).flatMap((_, turn) => drawn.flatMap((cases) => cases[turn] ?? []))
}
