import { describe, expect, it } from 'vitest'

import type { EventKind } from '../../events/contract.ts'
import { type BriefStatus, briefStatuses, canMove, checkMove, endStatuses, nextStatuses } from './states.ts'

/** The table as it was specified, written down a second time on purpose. */
const table: Record<BriefStatus, Partial<Record<BriefStatus, readonly EventKind[]>>> = {
  draft: { committed: ['tasks_committed'], pending: ['gate_approved'], cancelled: ['brief_cancelled'] },
  committed: { draft: ['tasks_reopened'], pending: ['all_committed'], cancelled: ['brief_cancelled'] },
  pending: {
    assigned: ['assigned'],
    ready_for_verification: ['ready_for_verification'],
    blocked: ['escalated'],
    failed: ['failed'],
    cancelled: ['brief_cancelled'],
  },
  assigned: {
    working: ['spawned'],
    pending: ['retried', 'declined'],
    blocked: ['escalated'],
    failed: ['failed'],
    cancelled: ['brief_cancelled'],
  },
  working: {
    completion_drive_review: ['review_started'],
    ready_for_verification: ['ready_for_verification'],
    blocked: ['escalated'],
    pending: ['retried'],
    failed: ['failed'],
    cancelled: ['brief_cancelled'],
  },
  completion_drive_review: {
    working: ['brief_status'],
    ready_for_verification: ['ready_for_verification'],
    blocked: ['escalated'],
    pending: ['retried'],
    failed: ['failed'],
    cancelled: ['brief_cancelled'],
  },
  ready_for_verification: {
    verified: ['completed'],
    pending: ['retried'],
    blocked: ['escalated'],
    cancelled: ['brief_cancelled'],
  },
  verified: { done: ['session_complete'], pending: ['retried'], cancelled: ['brief_cancelled'] },
  done: {},
  blocked: {
    working: ['unblocked'],
    pending: ['unblocked'],
    ready_for_verification: ['unblocked'],
    failed: ['failed'],
    cancelled: ['brief_cancelled'],
  },
  failed: { pending: ['retried'], cancelled: ['brief_cancelled'] },
  cancelled: {},
}

const eventKinds = [...new Set(Object.values(table).flatMap((moves) => Object.values(moves).flat()))]
const pairs = briefStatuses.flatMap((from) => briefStatuses.map((to) => [from, to] as const))

describe.each(pairs)('a brief that is %s', (from, to) => {
  const events = table[from][to]
  if (events === undefined)
    it(`cannot become ${to}`, () => {
      expect(canMove(from, to)).toBe(false)
      for (const event of [undefined, ...eventKinds])
        expect(() => checkMove(from, to, event)).toThrow(
          expect.objectContaining({
            code: 'illegal_transition',
            message: `a brief cannot go from ${from} to ${to}`,
            data: { from, to },
          }),
        )
    })
  else
    it(`becomes ${to} by ${events.join(' or ')} and by nothing else`, () => {
      expect(canMove(from, to)).toBe(true)
      expect(() => checkMove(from, to)).not.toThrow()
      for (const event of eventKinds) {
        const move = () => checkMove(from, to, event)
        if (events.includes(event)) expect(move).not.toThrow()
        else expect(move).toThrow(expect.objectContaining({ code: 'illegal_transition' }))
      }
    })
})

it('lists the allowed moves in its hint', () => {
  expect(() => checkMove('pending', 'done')).toThrow(
    expect.objectContaining({
      hint: 'From pending a brief can become: assigned, failed, ready_for_verification, blocked, cancelled.',
    }),
  )
  expect(() => checkMove('done', 'pending')).toThrow(
    expect.objectContaining({ hint: 'From done a brief can become: nothing else.' }),
  )
})

it('never leaves done and cancelled; a failed brief may be retried', () => {
  expect(briefStatuses.filter((status) => nextStatuses(status).length === 0)).toEqual(['done', 'cancelled'])
  expect(endStatuses).toEqual(['done', 'failed', 'cancelled'])
  expect(nextStatuses('failed')).toEqual(['pending', 'cancelled'])
})
