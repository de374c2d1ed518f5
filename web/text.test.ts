import { describe, expect, it } from 'vitest'

import { age, counted, duration, figure, money, runningDuration, size } from './text.ts'

describe('age', () => {
  it('is given in its largest unit', () => {
    expect([0, 4_999, 5_000, 59_999, 60_000, 3_599_999, 3_600_000, 172_800_000].map(age)).toEqual([
      'now',
      'now',
      '5 s ago',
      '59 s ago',
      '1 min ago',
      '59 min ago',
      '1 h ago',
      '2 d ago',
    ])
  })

  it('is "now" for a time slightly in the future, because clocks differ', () => {
    expect(age(-30_000)).toBe('now')
  })
})

describe('duration', () => {
  it('is more exact the shorter it is', () => {
    expect([14, 1_290, 9_999, 42_000, 185_000, 7_800_000].map(duration)).toEqual([
      '14 ms',
      '1.2 s',
      '9.9 s',
      '42 s',
      '3 m 05 s',
      '2 h 10 m',
    ])
  })

  it('is given in whole seconds while it still runs', () => {
    expect([0, 999, 1_500, 61_000].map(runningDuration)).toEqual(['0 s', '0 s', '1 s', '1 m 01 s'])
  })
})

describe('figure', () => {
  it('has separators and units', () => {
    expect(figure(1_234_567)).toBe('1,234,567')
    expect([999, 1_500, 3_200_000].map(size)).toEqual(['999 B', '1.5 kB', '3.2 MB'])
    expect([counted(1, 'line'), counted(2_000, 'line'), counted(0, 'reply', 'replies')]).toEqual([
      '1 line',
      '2,000 lines',
      '0 replies',
    ])
  })
})

it('formats money to the cent, and never as zero if something was spent', () => {
  expect([0, 1, 9_999, 10_000, 1_923_400, 1_234_567_890].map(money)).toEqual([
    '$0.00',
    'under $0.01',
    'under $0.01',
    '$0.01',
    '$1.92',
    '$1,234.57',
  ])
})
