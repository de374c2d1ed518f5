// @suite process

import { afterAll, describe } from 'vitest'

import { boxHere, createTestBox } from '../../../../test/support/box.ts'
import { type Asked, type Reply, type ToolUse, turns } from '../../../../test/support/model-server/script.ts'
import { startModelServer } from '../../../../test/support/model-server/server.ts'
import { type Act, reportOfSuite, runtimeContract } from '../contract-suite.ts'
import { type ProviderKind, providerKinds } from './contract.ts'
import { createLlmRuntime } from './runtime.ts'

const write = (path: string, content: string): ToolUse => ({ name: 'write_file', input: { path, content } })
const outbox = '.agency/outbox/report.json'

/** What the model says, so that the loop does it. Nothing of it is a process that could die or leave children. */
const acts: Partial<Record<Act, Reply | ((asked: Asked) => Reply)>> = {
  'say one and two': turns([{ text: 'one', tools: [write('a', 'b')] }, { text: 'two' }]).reply,
  hang: 'hang',
  'report by file': turns([{ tools: [write(outbox, JSON.stringify(reportOfSuite))] }]).reply,
  'report by standard output': { text: `Done.\n\n${JSON.stringify(reportOfSuite)}` },
  'lay nonsense into the outbox': turns([{ tools: [write(outbox, '{"status": nonsense')] }]).reply,
}

const names = Object.keys(acts)
const model = await startModelServer([
  // Who is reminded of its report and has none says nothing more.
  { when: ({ prompt }) => prompt.includes('without a report'), reply: { text: ' ' } },
  ...Object.values(acts).map((reply, at) => ({ when: (asked: Asked) => asked.model === `act-${at}`, reply })),
])
afterAll(() => model.stop())

const make = (kind: ProviderKind) => ({
  runtime: createLlmRuntime({
    providers: { tested: { kind, baseUrl: `${model.url}/v1`, apiKeyEnv: 'TESTED_KEY' } },
    environment: { TESTED_KEY: 'sk-dummy-0000' },
    // Without a box it says first that it is cautious; the suite wants the agent's own words.
    defaultMode: 'cautious',
  }),
  options: Object.fromEntries(names.map((act, at) => [act, { provider: 'tested', model: `act-${at}` }])),
  hasProcess: false,
})

for (const kind of providerKinds) runtimeContract(`llm (${kind})`, () => make(kind))

describe.skipIf(!boxHere.ok)(`in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  runtimeContract('llm', () => ({ ...make('anthropic'), makeBox: createTestBox }))
})
