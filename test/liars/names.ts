import { createRandom, type Random } from '../sim/random.ts'

/** Names of files, functions and texts of a case: another seed gives others, so that no rule can know them. */
export interface Names {
  readonly random: Random
  /** A word for a function or a file, each time another one. */
  word(): string
  number(): number
}

export function createNames(seed: number, subject: string): Names {
  const random = createRandom(seed, subject)
  const used = new Set<string>()
  return {
    random,
    word: () => {
      for (;;) {
        const word = random.pick(begins) + random.pick(ends)
        if (used.has(word)) continue
        used.add(word)
        return word
      }
    },
    number: () => random.between(11, 97),
  }
}

const begins = ['am', 'bel', 'cor', 'dun', 'el', 'fir', 'gal', 'har', 'il', 'jor', 'kel', 'lor', 'mar', 'nol', 'or']
const ends = ['ado', 'bex', 'cun', 'dil', 'eno', 'fan', 'gor', 'hul', 'ita', 'jun', 'kar', 'lem', 'min', 'nup', 'osk']
