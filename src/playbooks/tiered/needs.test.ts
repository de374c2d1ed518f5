import { expect, it } from 'vitest'

import { aBrief, aView } from '../../../test/support/work.ts'
import type { Part } from '../../work/parts/contract.ts'
import type { PlaybookEvent } from '../contract.ts'
import { counts, needs } from './needs.ts'

const verified = (phase: string): PlaybookEvent => ({ kind: 'brief_verified', brief: aBrief({ phase, part: 'squad' }) })
const squad: Part = {
  runId: 'run',
  key: 'squad:api:core',
  parent: 'ws:api',
  status: 'open',
  data: {},
  head: null,
  domainHead: null,
  heldBy: null,
  createdAt: '',
  updatedAt: '',
}

it('counts the briefs of a part only where the end of one may be the last that a step waits for', () => {
  expect(['t4', 't3_plan', 't3_mesh'].map((phase) => counts(verified(phase)))).toEqual([true, true, true])
  expect(['t1_plan', 't2_lead', 't3_verdict'].map((phase) => counts(verified(phase)))).toEqual([false, false, false])
})

it('refuses to decide by a count that was not made', () => {
  const view = aView({ tally: null, parts: [squad, { ...squad, key: 'ws:api', parent: null }] })
  expect(() => needs(view, verified('t4'))).toThrow('counts briefs that were not counted')
  expect(needs(view, verified('t3_verdict'))).toEqual({})
})
