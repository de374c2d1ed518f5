import { expect, it } from 'vitest'

import { startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Run } from './contract.ts'

const lineOf = async (agency: TestAgency, run: Run): Promise<string | null | undefined> => {
  const { runs } = await agency.runs.list({ limit: 10 })
  const { waitsFor } = await agency.inspect(run)
  const line = runs.find(({ id }) => id === run.id)?.waitsFor
  expect(line).toBe(waitsFor)
  return line
}

describeStores('the line about a run of which nothing is at work', (openFresh) => {
  it('names the runs that have the slots, and is empty while an agent works and after the end', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const briefs = ['a', 'b'].map((key) => ({ key, objective: 'Do' }))
    const first = await agency.run({ briefs, play: [[{ log: 'gate go' }, ...work]] })
    await agency.passed('attempt.started')
    const second = await agency.run()
    expect(await lineOf(agency, first)).toBe(null)
    expect(await lineOf(agency, second)).toBe(`a slot: 1 of 1 are taken, by ${first.id} (1)`)
    agency.gate('go').open()
    await agency.settled(second)
    expect(await lineOf(agency, second)).toBe(null)
  })

  it('names the gate or the pause, with the command that ends it', async () => {
    const agency = await startAgency(openFresh)
    const gated = await agency.run({ planGate: true, briefs: [{ key: 'a', objective: 'Do' }] })
    const [gate] = (await agency.inspect(gated)).gates
    expect(await lineOf(agency, gated)).toBe(`your approval of ${gate?.gate}: agency approve ${gate?.id}`)
    await agency.gates.pause(operator, gated.id, undefined)
    expect(await lineOf(agency, gated)).toBe(`the end of its pause: agency resume ${gated.id}`)
  })

  it('names a question', async () => {
    const agency = await startAgency(openFresh, { defaults: { onLimit: 'ask', crashRetries: 0 } })
    const run = await agency.run({ play: [[{ exit: { code: 1 } }]] })
    const question = await agency.until(
      async () => (await agency.questions.list({ runId: run.id, limit: 1 })).questions[0],
    )
    expect(await lineOf(agency, run)).toMatch(
      new RegExp(`^your answer to ".+": agency answer ${question.id} <answer>$`, 'u'),
    )
  })

  it('names a stop', async () => {
    const agency = await startAgency(openFresh)
    await agency.stops.set(operator, undefined, '')
    expect(await lineOf(agency, await agency.run())).toBe('the end of a stop (all): agency resume')
  })
})
