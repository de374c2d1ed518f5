import { describe, expect, it } from 'vitest'

import { standingOf } from './standing.ts'

const open = { id: 'gat_1', status: 'pending', note: null } as const
const guide = { id: 'gat_1', approvesAt: '2026-01-01T00:00:15.000Z' }
const decision = {
  id: 'dec_1',
  runId: 'run_1',
  organisationId: 1,
  target: 'gat_1',
  action: 'approve',
  text: null,
  by: 'operator',
  decidedAt: '2026-01-01T00:00:05.000Z',
  effectiveAt: '2026-01-01T00:00:15.000Z',
  reason: null,
  settledAt: null,
} as const

describe('the guide of a demonstration', () => {
  it('counts down at a gate that waits for the visitor, also after an undo', () => {
    expect(standingOf(guide, [open])).toBeNull()
    expect(standingOf(guide, [{ ...open, decisions: [{ ...decision, status: 'undone' }] }])).toBeNull()
  })

  it('counts down no longer once the visitor has decided, though the decision can still be undone', () => {
    expect(standingOf(guide, [{ ...open, decisions: [{ ...decision, status: 'waiting' }] }])).toMatch(/^You decided/)
  })

  it('names the author of the last approval', () => {
    const last = (note: string | null) => standingOf(null, [{ ...open, status: 'approved', note }])
    expect(last('Looks good')).toMatch(/^You approved/)
    expect(last('Simulated: no person decided within 15 s, so the demonstration approved this gate itself.')).toMatch(
      /no person decided in time/,
    )
    expect(last('Simulated: the demonstration approves its own gates.')).toMatch(/^The demonstration approved/)
    expect(standingOf(null, [])).toBe('')
  })
})
