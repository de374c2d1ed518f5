import { expect, it } from 'vitest'

import type { GateView } from '../../src/work/gates/contract.ts'
import type { Question } from '../../src/work/questions/contract.ts'
import { briefOf, openSets, pendingDecisions } from './items.ts'

const gate = (id: string, pendingSince: string, over: Partial<GateView> = {}): GateView =>
  ({ id, pendingSince, status: 'pending', boundary: 'run', approver: 'operator', ...over }) as GateView
const question = (id: string, createdAt: string, over: Partial<Question> = {}): Question =>
  ({ id, createdAt, status: 'with_operator', briefId: null, ...over }) as Question

it('lists gates and questions together, oldest first', () => {
  const items = pendingDecisions(
    [gate('gat_b', '2026-01-02')],
    [question('qst_a', '2026-01-03'), question('qst_c', '2026-01-01')],
  )
  expect(items.map((item) => item.id)).toEqual(['qst_c', 'gat_b', 'qst_a'])
})

it('leaves out decided gates, and answered or withdrawn questions', () => {
  const items = pendingDecisions(
    [gate('gat_a', '2026-01-01', { status: 'approved' }), gate('gat_b', '2026-01-01', { status: 'expired' })],
    [question('qst_a', '2026-01-01', { status: 'answered' }), question('qst_b', '2026-01-01', { status: 'withdrawn' })],
  )
  expect(items).toEqual([])
})

it('leaves out gates that a tier decides', () => {
  expect(pendingDecisions([gate('gat_a', '2026-01-01', { approver: 't2/backend' })], [])).toEqual([])
})

it('returns the brief that a gate or question concerns', () => {
  const items = pendingDecisions(
    [gate('gat_a', '2026-01-01', { boundary: 'brief:brf_1' }), gate('gat_b', '2026-01-02')],
    [question('qst_a', '2026-01-03', { briefId: 'brf_2' })],
  )
  expect(items.map(briefOf)).toEqual(['brf_1', null, 'brf_2'])
})

it('counts the pending questions of one report, where it has several', () => {
  const of = (attemptId: string | null, over: Partial<Question> = {}) => ({ attemptId, ...over })
  const items = pendingDecisions(
    [],
    [
      question('qst_a', '2026-01-01', of('att_1')),
      question('qst_b', '2026-01-01', of('att_1')),
      question('qst_c', '2026-01-01', of('att_1', { status: 'answered' })),
      question('qst_d', '2026-01-01', of('att_2')),
      question('qst_e', '2026-01-01', of(null)),
      question('qst_f', '2026-01-01', of(null)),
    ],
  )
  expect([...openSets(items)]).toEqual([['att_1', 2]])
})
