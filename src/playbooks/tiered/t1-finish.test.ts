import { expect, it } from 'vitest'

import { aBrief, aView } from '../../../test/support/work.ts'
import type { Part } from '../../work/parts/contract.ts'
import { mostReceived } from './base-steps.ts'
import { needs } from './needs.ts'
import { onSummary } from './t1-finish.ts'

const run: Part = {
  runId: 'run',
  key: 'run',
  parent: null,
  status: 'open',
  data: { multiplier: 1, waves: 1, wave: 1, lead: 'done', rejections: 0, surfaced: [], redo: [] },
  head: null,
  domainHead: null,
  heldBy: null,
  createdAt: '',
  updatedAt: '',
}
const brief = aBrief({ phase: 't2_summary', part: 'run' })
const work = ['t4:api:core:a', 't4:api:core:b']

it('hands the files of the work to T1, up to a maximum number of tasks', () => {
  const view = aView({ parts: [run] })
  const seen = { report: { status: 'done', summary: '', outputs: [] }, findings: [], outputs: [] } as const
  expect(needs(view, { kind: 'brief_ready', brief, seen: seen as never })).toMatchObject({ work: mostReceived })
  const decisions = onSummary({ ...view, found: { ...view.found, work } }, brief, { summary: 'it fits', concerns: [] })
  expect(decisions.find(({ kind }) => kind === 'add_briefs')).toMatchObject({
    briefs: [{ key: 't1-accept:final', receives: work }],
  })
})
