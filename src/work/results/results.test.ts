import { expect, it } from 'vitest'

import { opened, reworked, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { Results } from './contract.ts'
import { findResults } from './results.ts'

const resultsOf = (agency: TestAgency, run: Run): Promise<Results> =>
  agency.db.read((tx) => findResults(tx, run.id, {}))
const judges = (verdict: object): StepInput[] => [{ report: { status: 'done', summary: 'Looked.', verdict } }]
const makes = (count: number, summary = 'Done.'): StepInput[] => {
  const paths = Array.from({ length: count }, (_, index) => `part-${index}.md`)
  return [
    ...paths.map((path) => ({ write: { path, text: 'text\n' } })),
    { report: { status: 'done', summary, outputs: paths } },
  ]
}

describeStores('the results of a run', (openFresh) => {
  it('hold the outputs, checks and verdict of the newest attempt', async () => {
    const agency = await startAgency(openFresh)
    const pass = judges({ verdict: 'pass', checked: opened('result.md'), notes: 'It reads well.' })
    const run = await agency.settled(
      await agency.run({ verify: 'all', runtimeOptions: { scenario: { attempts: [work], verify: [pass] } } }),
    )
    const [attempt] = (await agency.inspect(run)).attempts
    expect(await resultsOf(agency, run)).toEqual({
      groups: { '': { tasks: 1, pass: 1, fail: 0, unjudged: 0, cancelled: 0 } },
      more_groups: 0,
      briefs: [
        {
          key: 'main',
          title: 'Do it',
          group: null,
          status: 'done',
          attempt: 1,
          summary: 'Done.',
          outputs: attempt?.outputs,
          evidence: ['passed: every reported output exists: result.md, 6 bytes'],
          verdict: { verdict: 'pass', issues: [], notes: 'It reads well.' },
        },
      ],
      more_briefs: 0,
    })
  })

  it('show a failed verdict with its issues, and never the verdict on an earlier attempt', async () => {
    const agency = await startAgency(openFresh)
    const fail = judges({ verdict: 'fail', issues: ['the end is missing'], missing_evidence: ['a test'] })
    const run = await agency.run({
      verify: 'all',
      onLimit: 'ask',
      runtimeOptions: { scenario: { attempts: reworked, verify: [fail] } },
    })
    await agency.until(async () => (await agency.brief(run)).status === 'blocked')
    const { groups, briefs } = await resultsOf(agency, run)
    const { attempts } = await agency.brief(run)
    expect(groups['']).toMatchObject({ tasks: 1, pass: 0, fail: 1 })
    expect(briefs).toMatchObject([
      {
        status: 'blocked',
        attempt: attempts,
        verdict: { verdict: 'fail', issues: ['missing evidence: a test', 'the end is missing'] },
      },
    ])
  })

  it('name files that were reported and do not exist', async () => {
    const agency = await startAgency(openFresh)
    const claims: StepInput[] = [
      { write: { path: 'result.md', text: 'Done.\n' } },
      { report: { status: 'done', summary: 'Both.', outputs: ['result.md', 'booklet.md'] } },
    ]
    const run = await agency.settled(
      await agency.run({ evidence: [{ kind: 'file', path: 'result.md', minBytes: 1 }], play: [claims] }),
    )
    expect((await resultsOf(agency, run)).briefs).toMatchObject([
      { status: 'failed', outputs: [{ path: 'result.md' }], missing_outputs: ['booklet.md'] },
    ])
  })

  it('are bounded for one brief: further outputs are counted, and long texts are cut', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run({ play: [makes(25, 'word '.repeat(2_000))] }))
    const [brief] = (await resultsOf(agency, run)).briefs
    expect(brief).toMatchObject({ more_outputs: 15 })
    expect(brief?.outputs).toHaveLength(10)
    expect(brief?.summary).toHaveLength(500)
  })

  it('are bounded for a whole run: further briefs are counted', async () => {
    const agency = await startAgency(openFresh)
    const briefs = Array.from({ length: 60 }, (_, index) => ({ key: `b${index}`, objective: 'Do it', after: [] }))
    const run = await agency.settled(await agency.run({ briefs, play: [makes(10, 'word '.repeat(2_000))] }))
    const results = await resultsOf(agency, run)
    expect(JSON.stringify(results.briefs).length).toBeLessThanOrEqual(31_000)
    expect(results.briefs.length).toBeGreaterThan(10)
    expect(results.briefs.length + results.more_briefs).toBe(60)
    expect(results.groups['']).toMatchObject({ tasks: 60 })
  })
})
