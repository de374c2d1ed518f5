// @suite process

import { afterAll, describe } from 'vitest'

import { boxHere, createTestBox } from '../../../../test/support/box.ts'
import { type Asked, type Reply, type ToolUse, turns } from '../../../../test/support/model-server/script.ts'
import { startModelServer } from '../../../../test/support/model-server/server.ts'
import { type Behaviour, reportOfSuite, runtimeContract } from '../contract-suite.ts'
import { type ProviderKind, providerKinds } from './contract.ts'
import { createLlmRuntime } from './runtime.ts'

const write = (path: string, content: string): ToolUse => ({ name: 'write_file', input: { path, content } })
const outbox = '.agency/outbox/report.json'

/** Answers of the model that produce the behaviours. No process is involved that could die or leave children. */
const replies: Partial<Record<Behaviour, Reply | ((asked: Asked) => Reply)>> = {
  'say one and two': turns([{ text: 'one', tools: [write('a', 'b')] }, { text: 'two' }]).reply,
  hang: 'hang',
  'report by file': turns([{ tools: [write(outbox, JSON.stringify(reportOfSuite))] }]).reply,
  'report by standard output': { text: `Done.\n\n${JSON.stringify(reportOfSuite)}` },
  'write invalid JSON into the outbox': turns([{ tools: [write(outbox, '{"status": nonsense')] }]).reply,
}

const names = Object.keys(replies)
const model = await startModelServer([
  // A model that is reminded of its report and has none answers with nothing.
  { when: ({ prompt }) => prompt.includes('without a report'), reply: { text: ' ' } },
  ...Object.values(replies).map((reply, at) => ({ when: (asked: Asked) => asked.model === `act-${at}`, reply })),
])
afterAll(() => model.stop())

const make = (kind: ProviderKind) => ({
  runtime: createLlmRuntime({
    providers: { tested: { kind, baseUrl: `${model.url}/v1`, apiKeyEnv: 'TESTED_KEY' } },
    environment: { TESTED_KEY: 'sk-dummy-0000' },
    // Without a box it first reports that it is cautious; the suite expects only the agent's own text.
    defaultMode: 'cautious',
  }),
  options: Object.fromEntries(names.map((act, at) => [act, { provider: 'tested', model: `act-${at}` }])),
  hasProcess: false,
})

for (const kind of providerKinds) runtimeContract(`llm (${kind})`, () => make(kind))

describe.skipIf(!boxHere.ok)(`in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  runtimeContract('llm', () => ({ ...make('anthropic'), makeBox: createTestBox }))
})
