import { expect, it } from 'vitest'

import { opened, startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'

describeStores('a run that is planned first', (openFresh) => {
  it('runs the reported plan, verifies each brief, and is accepted', async () => {
    const agency = await startAgency(openFresh)
    const plan = ['one', 'two'].map((key) => ({ key, objective: `Do ${key}` }))
    const verdict = { verdict: 'pass', checked: opened('result.md') }
    const started = await agency.run({
      planner: true,
      verify: 'all',
      runtimeOptions: {
        scenario: {
          attempts: [work],
          plan: [[{ report: { status: 'done', summary: 'Two parts.', plan, via: 'stdout' } }]],
          verify: [[{ report: { status: 'done', summary: 'Looked.', verdict, via: 'stdout' } }]],
        },
      },
    })
    const run = await agency.settled(started)
    expect(run).toMatchObject({ status: 'done', briefsDone: 2 })
    const { briefs, evidence } = await agency.inspect(run)
    const status = Object.fromEntries(briefs.map((brief) => [brief.key, brief.status]))
    expect(status).toEqual({
      'plan:1': 'done',
      one: 'done',
      'verify:one:1': 'done',
      two: 'done',
      'verify:two:1': 'done',
    })
    // A plan leaves nothing that a machine could check.
    expect(evidence.map((check) => check.briefId)).not.toContain(briefs.find((brief) => brief.kind === 'plan')?.id)
  })
})
