import { expect, it } from 'vitest'

import { failingOf, type Inspection } from './inspection.ts'

const brief = (id: string, status: string, failure: string | null = null) => ({ id, status, failure })
const whole = {
  briefs: [
    brief('a', 'done'),
    brief('b', 'blocked'),
    brief('c', 'pending'),
    brief('d', 'launching'),
    brief('e', 'cancelled', 'x'),
  ],
  attempts: [
    { brief_id: 'b', outcome: 'ok' },
    { brief_id: 'd', outcome: 'ok' },
    { brief_id: 'd', outcome: 'invalid' },
  ],
  evidence: [{ brief_id: 'a' }, { brief_id: 'd' }],
  artifacts: [],
  verdicts: [],
  notes: [],
  events: [{ brief_id: null }, { brief_id: 'b' }],
  gates: [{ status: 'pending' }, { status: 'approved' }],
  questions: [{ answered_at: null }, { answered_at: '2026-01-01' }],
} as unknown as Inspection

it('the failing part of a run has its blocked briefs, those whose last attempt failed, and open decisions', () => {
  const { briefs, attempts, evidence, events, gates, questions } = failingOf(whole)
  expect(briefs.map(({ id }) => id)).toEqual(['b', 'd'])
  expect(attempts).toHaveLength(3)
  expect(evidence).toEqual([{ brief_id: 'd' }])
  expect(events).toEqual([{ brief_id: 'b' }])
  expect([gates.length, questions.length]).toEqual([1, 1])
})
