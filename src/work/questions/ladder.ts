import type { Hop } from './contract.ts'

/** Who a question of `direct` climbs to: always up, never sideways; a lead that is not there is left out. */
export function climb(from: string, lead: { positionId: number; name: string } | null, at: string): Hop[] {
  const rungs = [from, ...(lead === null ? [] : [`lead:${lead.name}`]), 'operator']
  return rungs.slice(1).map((to, index) => ({ from: rungs[index] as string, to, rank: index + 1, at }))
}

/** Words that carry a question's meaning, so that two ways of asking the same thing are found alike. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 3),
  )

/** The same question in other words: most of the words of the shorter one are in the longer one. */
export function isSimilar(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const fewer = Math.min(a.size, b.size)
  if (fewer === 0) return one.trim().toLowerCase() === other.trim().toLowerCase()
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / fewer >= 0.8
}
