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

describe('the responses that an event makes stale', () => {
  it('are none for a log line', () => {
    expect(staleAfter(event('log'))).toEqual([])
  })

  it('are its run and the list of runs', () => {
    expect(staleAfter(event('reported'))).toEqual([keys.run('run_a'), keys.runs])
  })

  it('include the inbox for one approval among several, which is reported as a log line', () => {
    expect(staleAfter({ ...event('log'), data: { gate_id: 'gat_a' } })).toContainEqual(keys.waiting)
  })

  it('include the list of pull requests when one changes', () => {
    for (const kind of ['pr_opened', 'pr_updated', 'pr_closed', 'merged'] as const)
      expect(staleAfter(event(kind))).toEqual([keys.run('run_a'), keys.runs, keys.pullRequests, keys.waiting])
  })

  it('include the workspaces when one is created, used or removed', () => {
    expect(staleAfter(event('workspace_created', null))).toEqual([keys.status, keys.workspaces])
    expect(staleAfter(event('exec_finished'))).toContainEqual(keys.workspaces)
  })

  it('are all runs when a stop is set', () => {
    expect(staleAfter(event('stop_set', null))).toEqual([keys.status, keys.stops, keys.everyRun, keys.runs])
  })

  it('include the inbox when a decision may be pending, or no longer pending', () => {
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

  it('are all responses about organisations when one changed', () => {
    expect(staleAfter(event('org_changed', null))).toEqual([keys.status, keys.org])
  })

  it('are fetched once for a burst of events, and once more for events that arrived before the response', async () => {
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
