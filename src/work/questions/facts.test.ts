import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Run } from '../runs/contract.ts'
import type { QuestionView } from './contract.ts'

const tested = [{ kind: 'command' as const, run: 'node test.mjs' }]
const claims = (summary: string): StepInput[] => [{ report: { status: 'done', summary } }]
const asked = (agency: TestAgency, run: Run): Promise<QuestionView> =>
  agency.until(async () => (await agency.questions.list({ runId: run.id, limit: 10 })).questions[0])

/** Makes the test fail with the next of these outputs at each attempt; the last one repeats. */
function failWith(agency: TestAgency, ...outputs: string[]): void {
  let at = 0
  agency.workspaces.answer('node test.mjs', () => ({
    exitCode: 1,
    output: outputs[Math.min(at++, outputs.length - 1)] as string,
  }))
}

const longOutput = (attempt: number): string =>
  [...Array.from({ length: 30 }, (_, line) => `line ${line} of /tmp/work/${attempt}`), `took ${attempt} ms`, ''].join(
    '\n',
  )

describeStores('the facts of a question', (openFresh) => {
  it('are the claim, the failed command with its last lines, and a comparison of the attempts', async () => {
    const agency = await startAgency(openFresh)
    failWith(agency, longOutput(1), longOutput(2), longOutput(3))
    const goal = 'Slugs without accents'
    const run = await agency.run({
      goal,
      onLimit: 'ask',
      retryBudget: 2,
      evidence: tested,
      play: [claims('Fixed the slug function')],
    })
    const { facts, recommendation } = await asked(agency, run)
    expect(recommendation).toBeNull()
    expect(facts).toMatchObject({
      goal,
      askedBy: 'main',
      background: '',
      claim: 'Fixed the slug function',
      items: 1,
      failedTotal: 1,
      failed: [{ what: '$ node test.mjs', detail: 'exit code 1, expected 0' }],
      attempts: {
        summary: '3 attempts, same failure',
        alike: 3,
        kinds: [{ attempts: [1, 2, 3], failure: '$ node test.mjs: exit code 1, expected 0' }],
      },
      advice: 'own_words',
      hasDiff: false,
      budget: null,
    })
    const lines = facts?.failed[0]?.output.split('\n') ?? []
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toBe('took 3 ms')
  })

  it('name different failures one by one, and another attempt stays recommended', async () => {
    const agency = await startAgency(openFresh)
    failWith(agency, 'expected a', 'expected b')
    const run = await agency.run({ onLimit: 'ask', retryBudget: 1, evidence: tested, play: [claims('Done.')] })
    const { facts, recommendation } = await asked(agency, run)
    expect(recommendation).toBe('retry')
    expect(facts).toMatchObject({ attempts: { summary: '2 attempts, 2 different failures', alike: 1 }, advice: null })
    expect(facts?.attempts?.kinds.map(({ attempts }) => attempts)).toEqual([[1], [2]])
  })

  it('contain the issues of the verifier that stopped the work', async () => {
    const agency = await startAgency(openFresh)
    const guide = (text: string): StepInput[] => [
      { write: { path: 'guide.md', text } },
      { report: { status: 'done', summary: 'Wrote it', outputs: ['guide.md'] } },
    ]
    const issues = ['It does not say how to stop it.']
    const verdict: StepInput[] = [
      { report: { status: 'done', summary: 'Looked', verdict: { verdict: 'fail', issues } } },
    ]
    const run = await agency.run({
      onLimit: 'ask',
      verify: 'all',
      verificationLimit: 1,
      runtimeOptions: {
        scenario: {
          attempts: [guide('Run it.'), guide('Run it now.')],
          verify: [verdict],
        },
      },
    })
    const { facts, class: cause } = await asked(agency, run)
    expect(cause).toBe('verification')
    expect(facts).toMatchObject({ claim: 'Wrote it', issues, failed: [] })
  })

  it('are about the attempt that the question came from, also after a later one', async () => {
    const agency = await startAgency(openFresh)
    failWith(agency, 'expected a', 'expected b')
    const run = await agency.run({
      onLimit: 'ask',
      retryBudget: 0,
      evidence: tested,
      play: [claims('First try'), claims('Second try')],
    })
    const first = await asked(agency, run)
    agency.clock.advance(1_000)
    await agency.questions.answer(operator, first.id, 'Look at b')
    const second = await agency.until(async () => {
      const found = await asked(agency, run)
      return found.id !== first.id && found
    })
    expect(second.facts).toMatchObject({ claim: 'Second try', failed: [{ output: 'expected b' }] })
    expect((await agency.questions.show(operator, first.id)).facts).toMatchObject({
      claim: 'First try',
      failed: [{ output: 'expected a' }],
      attempts: null,
    })
  })

  it('are not shown to an agent, which may not read the outputs of others', async () => {
    const agency = await startAgency(openFresh)
    failWith(agency, 'expected a')
    const run = await agency.run({ onLimit: 'ask', retryBudget: 0, evidence: tested, play: [claims('Done.')] })
    const question = await asked(agency, run)
    const [attempt] = (await agency.inspect(run)).attempts
    if (attempt === undefined) throw new Error('the run has no attempt')
    expect((await agency.questions.show(agentOf(attempt), question.id)).facts).toBeNull()
  })

  it('name the budget and its figures, and recommend nothing', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      goal: 'Write a haiku',
      onLimit: 'ask',
      tokenBudget: 100,
      play: [[{ usage: { input_tokens: 120, output_tokens: 0 } }, ...claims('Done.')]],
    })
    const { facts, recommendation, text } = await asked(agency, run)
    expect(text).toBe('The budget of the run is used up (120 tokens of 100 tokens).')
    expect(recommendation).toBeNull()
    expect(facts).toMatchObject({
      askedBy: 'the engine',
      background: '',
      budget: { tokenLimit: 100, tokensSpent: 120, costLimitMicros: null, isAboutCost: false },
    })
  })
})
