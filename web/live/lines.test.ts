import { describe, expect, it } from 'vitest'

import { countAfter, type Filter, filterLines, indexAt, lineAt } from './lines.ts'
import type { Line } from './log.ts'

const line = (seq: number, over: Partial<Line> = {}): Line => ({
  position: seq * 10,
  seq,
  at: '2026-01-01T00:00:00.000Z',
  kind: 'log',
  by: 'agent:1',
  level: 'normal',
  tier: null,
  code: null,
  message: `line ${seq}`,
  runId: 'run_a',
  briefId: null,
  attemptId: null,
  ...over,
})

const everything: Filter = { all: true, text: '', kinds: undefined, upTo: null, lineKey: 'seq' }
const numbers = (lines: readonly Line[]): number[] => lines.map((each) => each.seq)

describe('filterLines', () => {
  const lines = [
    line(1, { message: 'Reads the brief (a.txt)' }),
    line(2, { level: 'verbose', message: 'thinks' }),
    line(3, { kind: 'failed', code: 'FAIL', message: 'evidence 1 of 2' }),
  ]

  it('returns all lines, without a copy, while no filter is set', () => {
    expect(filterLines(lines, everything)).toBe(lines)
  })

  it('leaves out verbose lines', () => {
    expect(numbers(filterLines(lines, { ...everything, all: false }))).toEqual([1, 3])
  })

  it('matches text in message, code and kind, ignoring case', () => {
    expect(numbers(filterLines(lines, { ...everything, text: 'READS' }))).toEqual([1])
    expect(numbers(filterLines(lines, { ...everything, text: 'fail' }))).toEqual([3])
  })

  it('treats text with the characters of a regular expression as plain text', () => {
    expect(numbers(filterLines(lines, { ...everything, text: '(a.txt' }))).toEqual([1])
    expect(numbers(filterLines(lines, { ...everything, text: '.*' }))).toEqual([])
  })

  it('returns only the given kinds, and only lines up to the pause', () => {
    expect(numbers(filterLines(lines, { ...everything, kinds: ['failed'] }))).toEqual([3])
    expect(numbers(filterLines(lines, { ...everything, upTo: 2 }))).toEqual([1, 2])
  })
})

describe('lookup of a line by its number', () => {
  const lines = [line(3), line(4), line(8)]

  it('finds a line that exists, and none for a missing number', () => {
    expect(lineAt(lines, 'seq', 4)?.seq).toBe(4)
    expect(lineAt(lines, 'seq', 5)).toBeUndefined()
    expect(lineAt(lines, 'position', 80)?.seq).toBe(8)
  })

  it('counts the lines after a number', () => {
    expect([2, 3, 4, 8].map((seq) => countAfter(lines, 'seq', seq))).toEqual([3, 2, 1, 0])
    expect(indexAt(lines, 'seq', 5)).toBe(2)
  })
})
