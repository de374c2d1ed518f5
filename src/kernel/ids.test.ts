import { describe, expect, it } from 'vitest'

import { createIds, type IdNoun, systemIds } from './ids.ts'

/** Returns bytes that are all different, so that random parts of an id are visible. */
function counting(): (size: number) => Uint8Array {
  let next = 0
  return (size) => Uint8Array.from({ length: size }, () => next++)
}
const at = (nowMs: number) => ({ nowMs: () => nowMs })

describe('an id', () => {
  it('starts with the prefix of its noun, followed by twelve characters that are hard to misread', () => {
    for (const noun of ['run', 'brief', 'attempt', 'mission', 'artifact', 'check', 'job'] as const)
      expect(systemIds.next(noun)).toMatch(/^[a-z]{3}_[0-9a-hjkmnp-tv-z]{12}$/)
  })

  it('of a run or a mission is entirely random, so that a short prefix identifies it', () => {
    const ids = createIds(counting(), at(Date.parse('2030-01-01')))
    const beginnings = Array.from({ length: 4 }, () => ids.next('run').slice(0, 8))
    expect(new Set(beginnings).size).toBe(4)
  })

  it('of any other noun sorts after the previous one, so that rows created together are stored together', () => {
    const made: string[] = []
    for (const day of ['2026-01-01', '2030-01-01', '2053-12-31']) {
      const ids = createIds(counting(), at(Date.parse(day)))
      for (let count = 0; count < 40; count++) made.push(ids.next('attempt'))
    }
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(made.length)
  })

  it('starts counting from a different number in every process', () => {
    const first = (randomBytes: (size: number) => Uint8Array): string =>
      createIds(randomBytes, at(0)).next('check' satisfies IdNoun)
    expect(first((size) => new Uint8Array(size).fill(1))).not.toBe(first((size) => new Uint8Array(size).fill(2)))
  })
})
