import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../../test/support/agency.ts'
import { createContext } from '../../../cli/context.ts'
import { toWire } from '../../../operations/wire.ts'
import type { CheckedIn } from '../../attempts/contract.ts'
import { runOperations } from '../contract.ts'
import { inspectRun } from './inspect.ts'

it.each<[CheckedIn, string[]]>([
  ['checkout', ['checked in a fresh checkout']],
  ['copy', ['checked in a copy of the workspace']],
  [
    'workspace',
    [
      'checked in the agent’s workspace',
      'Checked in the agent’s workspace, not in a fresh checkout: untracked files may have helped',
    ],
  ],
  ['host', ['checked on the host', 'Checked on the host, outside any box, by commands of config.yaml']],
])('the text of a run names the place of its checks: %s', async (checkedIn, expected) => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.settled(await agency.run())
  const inspected = await agency.inspect(run)
  const attempts = inspected.attempts.map((attempt) => ({ ...attempt, checkedIn }))
  const text = await textOf(run.id, { ...inspected, attempts })
  for (const sentence of expected) expect(text).toContain(sentence)
  expect(text.includes('Checked')).toBe(expected.length > 1)
})

it('the text of a run has the last lines of a failed check', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const output = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join('\n')
  agency.workspaces.answer('npm test', () => ({ exitCode: 1, output }))
  const evidence = [{ kind: 'command', run: 'npm test' }] as never
  const run = await agency.settled(await agency.run({ evidence, retryBudget: 0, onLimit: 'fail' }))
  const text = await textOf(run.id, await agency.inspect(run))
  expect(text).toMatch(/npm test: exit code 1, expected 0.*\n +\| line 5\n( +\| line [678]\n){3} +\| line 9$/m)
  expect(text).not.toContain('line 4')
})

it('the text of a run names the files that an attempt was handed', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.settled(await agency.run())
  const inspected = await agency.inspect(run)
  const seen = (index: number) => ({
    brief: 'brf_1',
    key: 'river',
    attempt: 2,
    path: `poem-${index}.txt`,
    sha256: 'abcdef0123456789',
    bytes: 1,
  })
  const inputsSeen = Array.from({ length: 12 }, (_, index) => seen(index))
  const text = await textOf(run.id, {
    ...inspected,
    attempts: inspected.attempts.map((attempt) => ({ ...attempt, inputsSeen })),
  })
  expect(text).toMatch(/^ +input river\/poem-9\.txt, attempt 2, abcdef012345$/m)
  expect(text).not.toContain('poem-10.txt')
  expect(text).toContain('2 more inputs')
})

/** Returns the output of the command for this answer of the daemon. */
async function textOf(runId: string, inspected: Awaited<ReturnType<TestAgency['inspect']>>): Promise<string> {
  const answer = toWire(runOperations.inspect.output, inspected)
  const lines: string[] = []
  const context = {
    ...createContext({ AGENCY_HOME: '/nonexistent' }),
    isTty: false,
    colour: false,
    out: (line: string) => void lines.push(line),
    api: () => ({ call: async () => answer }) as never,
  }
  expect(await inspectRun(context, runId, {})).toBe(0)
  return lines.join('\n')
}
