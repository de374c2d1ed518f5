import { expect, it } from 'vitest'

import { reworked, type StartRun } from '../../../test/support/agency.ts'
import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { makeSeat } from '../../../test/support/seats.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Brief } from '../briefs/contract.ts'

const handsUp: StepInput[] = [
  {
    report: { status: 'done', summary: 'Decided.', output: { decision: 'hand_up', reason: 'The goal does not say.' } },
  },
]
const resolve = { phases: { resolve: { attempts: [handsUp] } } }

/** Plays a run until its question has been with the lead, and returns the brief of the lead with its prompt. */
async function askLead(openFresh: OpenFresh, input: StartRun): Promise<{ brief: Brief; prompt: string; org: TestOrg }> {
  const org = await openOrg(openFresh)
  const { positionId } = await makeSeat(org, 'Robbo')
  await org.organisations.update(operator, 'Development', { leadPositionId: positionId })
  const run = await org.agency.run({ onLimit: 'ask', ...input })
  const brief = await org.agency.until(async () => {
    const { briefs } = await org.agency.inspect(run)
    return briefs.find(({ phase, status }) => phase === 'resolve' && status === 'done')
  })
  return { brief, prompt: org.agency.prompts.get(brief.attemptId ?? '') ?? '', org }
}

const failing = (issues: readonly string[]): StepInput[] => [
  { report: { status: 'done', summary: 'Looked.', verdict: { verdict: 'fail', issues } } },
]
const judged = (goal: string, issues: readonly string[]): StartRun => ({
  goal,
  verify: 'all',
  runtimeOptions: { scenario: { attempts: reworked, verify: [failing(issues)], ...resolve } },
})

describeStores('a seat that is asked about a brief', (openFresh) => {
  it('gets the question with its options and recommendation, and the objective of the brief', async () => {
    const question = {
      text: 'Which colour should the river have?',
      context: 'The map has two rivers.',
      options: [
        { key: 'blue', label: 'Blue', detail: 'as on old maps' },
        { key: 'green', label: 'Green', detail: '' },
      ],
      recommendation: 'blue',
    }
    const asks: StepInput[] = [{ report: { status: 'blocked', summary: 'I have drawn the coast.', question } }]
    const { brief, prompt } = await askLead(openFresh, {
      goal: 'Draw a map',
      runtimeOptions: { scenario: { attempts: [asks], ...resolve } },
    })
    expect(brief.inputs).toMatchObject({
      question: { text: question.text, context: expect.stringContaining('two rivers'), recommendation: 'blue' },
      brief: { objective: 'Draw a map', last_attempt: { summary: 'I have drawn the coast.' } },
    })
    for (const each of ['Which colour', '"as on old maps"', '"recommendation": "blue"', 'I have drawn the coast.'])
      expect(prompt.replaceAll('":"', '": "')).toContain(each)
  })

  it('gets the last report, the outputs, the checks, the verdict and the corrections of the brief', async () => {
    const { brief, prompt } = await askLead(openFresh, judged('Write it', ['the end is missing']))
    expect(brief.inputs['brief']).toMatchObject({
      status: 'blocked',
      last_attempt: {
        summary: 'Done.',
        outputs: [{ path: 'result.md', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
        evidence: [expect.stringMatching(/^passed: .*result\.md/)],
        verdict: { verdict: 'fail', issues: ['the end is missing'] },
      },
      corrections: [{ evidence: 'the verifier', detail: 'the end is missing' }],
    })
    expect(prompt).toContain('"issues":["the end is missing"]')
    expect(prompt).toContain('result.md')
  })

  it('gets a bounded part of long lists and texts, and the number of further corrections', async () => {
    const issues = Array.from({ length: 90 }, (_, index) => `${index} ${'is wrong '.repeat(200)}`)
    const { brief, prompt } = await askLead(openFresh, judged(`Write ${'much '.repeat(3_000)}`, issues))
    const { corrections, more_corrections: more } = brief.inputs['brief'] as {
      corrections: []
      more_corrections: number
    }
    expect([corrections.length, more]).toEqual([20, 70])
    expect(JSON.stringify(brief.inputs).length).toBeLessThan(45_000)
    expect(prompt.length).toBeLessThan(80_000)
  })
})
