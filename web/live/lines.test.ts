import { describe, expect, it } from 'vitest'

import { countAfter, type Filter, filtered, indexAt, lineAt } from './lines.ts'
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

const everything: Filter = { all: true, text: '', kinds: undefined, upTo: null, place: 'seq' }
const numbers = (lines: readonly Line[]): number[] => lines.map((each) => each.seq)

describe('a filter', () => {
  const lines = [
    line(1, { message: 'Reads the brief (a.txt)' }),
    line(2, { level: 'verbose', message: 'thinks' }),
    line(3, { kind: 'failed', code: 'FAIL', message: 'evidence 1 of 2' }),
  ]

  it('lets everything through, without a copy, until it is set', () => {
    expect(filtered(lines, everything)).toBe(lines)
  })

  it('leaves the verbose lines out', () => {
    expect(numbers(filtered(lines, { ...everything, all: false }))).toEqual([1, 3])
  })

  it('finds text in message, code and kind, whatever the case', () => {
    expect(numbers(filtered(lines, { ...everything, text: 'READS' }))).toEqual([1])
    expect(numbers(filtered(lines, { ...everything, text: 'fail' }))).toEqual([3])
  })

  it('takes what looks like a pattern as plain text', () => {
    expect(numbers(filtered(lines, { ...everything, text: '(a.txt' }))).toEqual([1])
    expect(numbers(filtered(lines, { ...everything, text: '.*' }))).toEqual([])
  })

  it('keeps to kinds, and to what was there when it was paused', () => {
    expect(numbers(filtered(lines, { ...everything, kinds: ['failed'] }))).toEqual([3])
    expect(numbers(filtered(lines, { ...everything, upTo: 2 }))).toEqual([1, 2])
  })
})

describe('the place of a line', () => {
  const lines = [line(3), line(4), line(8)]

  it('is found among those that are there', () => {
    expect(lineAt(lines, 'seq', 4)?.seq).toBe(4)
    expect(lineAt(lines, 'seq', 5)).toBeUndefined()
    expect(lineAt(lines, 'position', 80)?.seq).toBe(8)
  })

  it('counts what comes after it', () => {
    expect([2, 3, 4, 8].map((seq) => countAfter(lines, 'seq', seq))).toEqual([3, 2, 1, 0])
    expect(indexAt(lines, 'seq', 5)).toBe(2)
  })
})
