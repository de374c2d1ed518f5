/** Words that say how something is asked, not about what. Negations are none of them: they reverse a question. */
const stopWords: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been being but by can could did do does for from had has have here how i if in into is it ' +
    'its may me might must my now of on or our ours please shall should so than that the their them then there these they ' +
    'this those to us was we were what when where which while who whom whose why will with would you your yours'
  ).split(' '),
)

/** Two questions with fewer words in common than this are about different things, unless they are the same. */
const leastShared = 3
const leastOverlap = 0.6

/** Returns the content words of a question. Paths, names and numbers such as `src/a.ts`, `user_id` and 1.5 are one word. */
const contentOf = (text: string): Set<string> =>
  new Set(
    (
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{M}\p{N}]+(?:[-_./:@#'’]+[\p{L}\p{M}\p{N}]+)*/gu) ?? []
    )
      .filter((word) => !stopWords.has(word))
      .map(singular),
  )

const singular = (word: string): string => (/^\p{L}{3,}[^su\P{L}]s$/u.test(word) ? word.slice(0, -1) : word)

const numbersOf = (words: ReadonlySet<string>): string =>
  [...words]
    .filter((word) => /\p{N}/u.test(word))
    .toSorted()
    .join(' ')

/**
 * Reports whether two questions are the same in other words: they share most of their content words, and at least three.
 * Other numbers make another question.
 */
export function isSimilar(one: string, other: string): boolean {
  const [a, b] = [contentOf(one), contentOf(other)]
  if (a.size === 0 || b.size === 0) return one.trim().toLowerCase() === other.trim().toLowerCase()
  if (numbersOf(a) !== numbersOf(b)) return false
  const shared = [...a].filter((word) => b.has(word)).length
  const all = a.size + b.size - shared
  return shared === all || (shared >= leastShared && shared / all >= leastOverlap)
}
