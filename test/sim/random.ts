import { randomFrom } from '../chaos/random.ts'

/** Deterministic random numbers: the same seed and the same calls give the same results. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number
  chance(probability: number): boolean
  /** Returns a whole number; both ends are included. */
  between(low: number, high: number): number
  pick<T>(values: readonly T[]): T
  bytes(size: number): Uint8Array
  /** Returns an independent generator for a subject: further calls elsewhere do not change its numbers. */
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

/** FNV-1a with a final mix, so that consecutive seeds do not begin with similar numbers. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
