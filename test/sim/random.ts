import { randomFrom } from '../chaos/random.ts'

/** Chance that repeats itself: the same seed and the same questions give the same answers. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  chance(probability: number): boolean
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  pick<T>(values: readonly T[]): T
  bytes(size: number): Uint8Array
  /** Chance of its own, whatever else was asked before: adding a question elsewhere changes nothing here. */
  about(subject: string): Random
}

export function createRandom(seed: number, subject = ''): Random {
  const next = randomFrom(hashOf(`${seed} ${subject}`))
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    chance: (probability) => next() < probability,
    between,
    pick: (values) => values[between(0, values.length - 1)] as never,
    bytes: (size) => Uint8Array.from({ length: size }, () => between(0, 255)),
    about: (more) => createRandom(seed, `${subject}/${more}`),
  }
}

/** FNV-1a, then mixed once more: seeds that follow each other must not begin alike. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
