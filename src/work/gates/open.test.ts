import { expect, it } from 'vitest'

import { startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'

const plan = (...keys: string[]): StepInput => ({
  report: { status: 'done', summary: 'Parts.', plan: keys.map((key) => ({ key, objective: `Do ${key}` })) },
})

describeStores('a run that is paused', (openFresh) => {
  it('stays paused when a gate opens, and halts at that gate when it is resumed', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      planner: true,
      planGate: true,
      runtimeOptions: { scenario: { attempts: [work], plan: [[{ log: 'gate plan' }, plan('one')]] } },
    })
    await agency.gate('plan').reached
    const pause = await agency.gates.pause(operator, run.id, undefined)
    agency.gate('plan').open()
    const paused = await agency.until(async () => {
      const found = await agency.runs.show(run.id)
      return found.gatesPending === 2 ? found : null
    })
    expect(paused).toMatchObject({ status: 'paused', heldBy: `gate:${pause.id}` })
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'gated' })
    await agency.gates.approve(operator, { target: run.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 1 })
  })
})

describeStores('a result that is not accepted', (openFresh) => {
  it('is done again, also if all its dependents are cancelled', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      acceptance: 'operator',
      briefs: [
        {
          key: 'one',
          objective: 'Do one',
          runtimeOptions: { scenario: { attempts: [[{ log: 'gate one' }, ...work]] } },
        },
        { key: 'two', objective: 'Do two', after: ['one'] },
      ],
    })
    await agency.gate('one').reached
    await agency.briefs.update(operator, (await agency.brief(run, 'two')).id, 'cancelled', undefined)
    agency.gate('one').open()
    const accepting = () => agency.until(async () => (await agency.runs.show(run.id)).status === 'accepting')
    await accepting()
    await agency.gates.reject(operator, { target: run.id, reason: 'too short' })
    await agency.until(async () => (await agency.brief(run, 'one')).attempts === 2)
    await accepting()
    await agency.gates.approve(operator, { target: run.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 1 })
  })

  it('has no gate left, and its paused run ends, when its only brief is cancelled after the gate expired', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ acceptance: 'operator', gateTimeoutMinutes: 5 })
    await agency.until(async () => (await agency.runs.show(run.id)).status === 'accepting')
    const [gate] = (await agency.gates.ofRun(run.id)).gates
    await agency.gates.wake('gate_timeout', gate?.id as string)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'paused' })
    await agency.briefs.update(operator, (await agency.brief(run)).id, 'cancelled', undefined)
    expect(await agency.settled(run)).toMatchObject({ status: 'cancelled', briefsDone: 0 })
    expect((await agency.gates.ofRun(run.id)).gates.filter((each) => each.status === 'pending')).toEqual([])
    await expect(agency.gates.resume(operator, run.id)).rejects.toThrow('is cancelled, not paused')
  })

  it('has its gate opened again when the run resumes after the gate expired', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ acceptance: 'operator', gateTimeoutMinutes: 5 })
    await agency.until(async () => (await agency.runs.show(run.id)).status === 'accepting')
    const [gate] = (await agency.gates.ofRun(run.id)).gates
    await agency.gates.wake('gate_timeout', gate?.id as string)
    expect(await agency.gates.resume(operator, run.id)).toMatchObject({ status: 'accepting' })
    await agency.gates.approve(operator, { target: run.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 1 })
  })
})
