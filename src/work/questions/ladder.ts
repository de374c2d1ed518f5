/** Returns the significant words of a question, so that two wordings of the same question match. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 3),
  )

/** Reports whether two questions are the same in other words: most words of the shorter one occur in the longer one. */
export function isSimilar(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const fewer = Math.min(a.size, b.size)
  if (fewer === 0) return one.trim().toLowerCase() === other.trim().toLowerCase()
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / fewer >= 0.8
}
