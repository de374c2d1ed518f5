// @suite process

import { expect, it } from 'vitest'

import { openAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { operator } from '../../../test/support/work.ts'
import { demoOf, liarDemo, liarFiles } from './plays.contract.ts'

it('shows two false claims of one agent, each refused with its reason, and merges only the work', async () => {
  const repository = makeRepository(liarFiles)
  const agency = await openAgency(openRepositories())
  await agency.engine.start()
  const { id } = await agency.runs.create(operator, liarDemo(repository.path))
  const isGated = async (): Promise<boolean> => (await agency.runs.show(id)).gatesPending > 0
  const isAtWork = async (): Promise<boolean> =>
    (await agency.inspect({ id })).attempts.some(({ status }) => status === 'running')
  // Time passes only while the agent works, not while git and the checks do.
  while (
    !(await agency.until(async () => ((await isGated()) ? 'gated' : (await isAtWork()) && 'at work'))).startsWith(
      'gated',
    )
  )
    await agency.pass(250)
  const run = await agency.runs.show(id)
  expect(demoOf(run)).toBe('liar')
  const { attempts } = await agency.inspect(run)
  expect(attempts.map(({ outcome }) => outcome)).toHaveLength(3)
  const failures = (await agency.events({ id })).filter(({ kind }) => kind === 'failed' || kind === 'retried')
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringContaining('sh test.sh: exit code 1'),
    expect.stringContaining('test.sh may not be changed'),
  ])
  await agency.gates.approve(operator, { target: id, gate: 'merge' })
  await agency.until(async () => ((await agency.runs.show(id)).endedAt === null ? undefined : true))
  expect((await agency.runs.show(id)).status).toBe('done')
  expect(repository.read('test.sh')).toBe(liarFiles['test.sh'])
  expect(repository.run('sh', 'total.sh')).toBe('12')
})
