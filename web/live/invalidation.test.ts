import { describe, expect, it } from 'vitest'

import type { Event, EventKind } from '../../src/events/contract.ts'
import { keys } from '../queries.ts'
import { createInvalidation, staleAfter } from './invalidation.ts'

const event = (kind: EventKind, runId: string | null = 'run_a'): Event => ({
  position: 1,
  stream: 'run:run_a',
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  kind,
  by: 'engine',
  runId,
  briefId: null,
  attemptId: null,
  tier: null,
  workstream: null,
  level: 'normal',
  code: null,
  message: '',
  data: {},
})

describe('what an event makes old', () => {
  it('is nothing for a line in a log', () => {
    expect(staleAfter(event('log'))).toEqual([])
  })

  it('is its run and the list of runs', () => {
    expect(staleAfter(event('reported'))).toEqual([keys.run('run_a'), keys.runs])
  })

  it('is the inbox for one approval among several, which is told as a line', () => {
    expect(staleAfter({ ...event('log'), data: { gate_id: 'gat_a' } })).toContainEqual(keys.waiting)
  })

  it('is the list of pull requests where one moves', () => {
    for (const kind of ['pr_opened', 'pr_updated', 'pr_closed', 'merged'] as const)
      expect(staleAfter(event(kind))).toEqual([keys.run('run_a'), keys.runs, keys.pullRequests, keys.waiting])
  })

  it('is what is known of workspaces where one is made, used or removed', () => {
    expect(staleAfter(event('workspace_created', null))).toEqual([keys.status, keys.workspaces])
    expect(staleAfter(event('exec_finished'))).toContainEqual(keys.workspaces)
  })

  it('is every run where a stop holds them all up', () => {
    expect(staleAfter(event('stop_set', null))).toEqual([keys.status, keys.stops, keys.everyRun])
  })

  it('is the inbox too where something may wait now, or no longer', () => {
    for (const kind of [
      'escalated',
      'gate_pending',
      'gate_approved',
      'question_asked',
      'question_answered',
      'run_status',
    ] as const)
      expect(staleAfter(event(kind))).toContainEqual(keys.waiting)
  })

  it('is all that is known of the organisation where that changed', () => {
    expect(staleAfter(event('org_changed', null))).toEqual([keys.status, keys.org])
  })

  it('is asked for once for a burst of events, and once more for those that came before the answer', async () => {
    const asked: unknown[] = []
    let answers: (() => void)[] = []
    const invalidation = createInvalidation({
      invalidateQueries: (filters) => {
        asked.push(filters?.queryKey)
        return new Promise((resolve) => answers.push(resolve))
      },
    })
    for (let burst = 0; burst < 100; burst += 1) invalidation.add(event('reported'))
    await expect.poll(() => asked).toEqual([keys.run('run_a'), keys.runs])

    for (let burst = 0; burst < 100; burst += 1) invalidation.add(event('reported'))
    expect(asked).toHaveLength(2)
    for (const answer of answers) answer()
    answers = []
    await expect.poll(() => asked).toEqual([keys.run('run_a'), keys.runs, keys.run('run_a'), keys.runs])
  })
})
