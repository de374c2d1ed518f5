import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { ago, bytesText, duration, fit, plain, statusText, tableLines, type Terminal } from './terminal.ts'
import { textWidth } from './text-width.ts'

const terminal = (columns: number, colour = false): Terminal => ({
  out: () => {},
  err: () => {},
  isTty: true,
  columns,
  colour,
})
const columns = [{ title: 'ID' }, { title: 'GOAL', flexible: true as const }, { title: 'N', right: true as const }]

describe('a table', () => {
  const withSpare = [
    { title: 'ID' },
    { title: 'TOOK', spare: true as const },
    { title: 'GOAL', flexible: true as const },
  ]
  const row = ['run_7k2', '15 minutes', 'Write a poem about rivers and hills']

  it('leaves out a spare column where little would be left of the flexible one', () => {
    expect(tableLines(terminal(60), withSpare, [row])).toEqual([
      'ID       TOOK        GOAL',
      'run_7k2  15 minutes  Write a poem about rivers and hills',
    ])
    expect(tableLines(terminal(45), withSpare, [row])).toEqual([
      'ID       GOAL',
      'run_7k2  Write a poem about rivers and hills',
    ])
  })

  it('is never wider than the terminal, independent of its content', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat())),
        fc.integer({ min: 20, max: 200 }),
        (rows, width) => {
          const cells = rows.map(([id, goal, n]) => [plain(id), plain(goal), String(n)])
          for (const line of tableLines(terminal(width), columns, cells))
            expect(textWidth(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })

  it('shortens the flexible column and keeps the others complete', () => {
    expect(tableLines(terminal(24), columns, [['run_1', 'a goal that is too long', '17']])).toEqual([
      'ID     GOAL            N',
      'run_1  a goal that …  17',
    ])
  })

  it('is complete if the output is not a terminal', () => {
    const long = 'x'.repeat(500)
    expect(tableLines(terminal(Number.POSITIVE_INFINITY), columns, [['a', long, '1']])[1]).toContain(long)
  })

  it('aligns wide characters and colours', () => {
    const rows = [
      ['日本', 'a', '1'],
      ['abcd', 'a', '1'],
      [statusText(terminal(80, true), 'done'), 'a', '1'],
    ]
    const widths = tableLines(terminal(80, true), columns, rows).map(textWidth)
    expect(new Set(widths).size).toBe(1)
  })
})

describe('foreign text', () => {
  it('cannot move the cursor, ring, hide or forge a line', () => {
    const evil = 'ok\x1b[2J\x1b]0;title\x07\r\nerror: forged\x9b31m \u202egnp.exe'
    const shown = plain(evil)
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
    expect(shown).toContain('error: forged')
  })
})

describe('shortening', () => {
  it('closes the colours it cuts', () => {
    expect(fit('\x1b[32mabcdefghij\x1b[39m', 5)).toBe('\x1b[32mabcd…\x1b[0m')
  })
  it('counts a wide character as two', () => {
    expect(fit('日本語日本語', 5)).toBe('日本…')
  })
})

it('has a symbol for every state, with and without colour', () => {
  expect(['done', 'running', 'gated', 'failed', 'pending'].map((status) => statusText(terminal(80), status))).toEqual([
    '✓ done',
    '↻ running',
    '⏸ gated',
    '✗ failed',
    '· pending',
  ])
  expect(statusText(terminal(80, true), 'failed')).toBe('\x1b[31m✗ failed\x1b[39m')
})

it('prints durations in a readable unit', () => {
  expect([0, 59_400, 60_000, 3_599_000, 3_600_000, 47 * 3_600_000, 49 * 3_600_000].map(duration)).toEqual([
    '0 s',
    '59 s',
    '1 m',
    '59 m',
    '1 h',
    '47 h',
    '2 d',
  ])
  expect(ago('2026-01-01T00:00:00.000Z', Date.parse('2026-01-01T00:14:00Z'))).toBe('14 m ago')
  // A clock that was set back is no reason for a negative age.
  expect(ago('2026-01-01T00:00:05.000Z', Date.parse('2026-01-01T00:00:00Z'))).toBe('0 s ago')
})

it('prints sizes with their unit', () => {
  expect([0, 999, 1_000, 1_250_000, 3e9].map(bytesText)).toEqual(['0 B', '999 B', '1.0 kB', '1.3 MB', '3.0 GB'])
})
