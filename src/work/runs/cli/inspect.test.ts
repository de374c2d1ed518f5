import { expect, it } from 'vitest'

import { openAgency } from '../../../../test/support/agency.ts'
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
  const answer = toWire(runOperations.inspect.output, { ...inspected, attempts })
  const lines: string[] = []
  const context = {
    ...createContext({ AGENCY_HOME: '/nonexistent' }),
    isTty: false,
    colour: false,
    out: (line: string) => void lines.push(line),
    api: () => ({ call: async () => answer }) as never,
  }
  expect(await inspectRun(context, run.id, {})).toBe(0)
  const text = lines.join('\n')
  for (const sentence of expected) expect(text).toContain(sentence)
  expect(text.includes('Checked')).toBe(expected.length > 1)
})
