import { type Conversation, converse } from '../../../src/adapters/runtime/llm/loop.ts'
import type { ToolCall } from '../../../src/adapters/runtime/llm/model.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'

export const modelCalls: readonly Attack<unknown>[] = [
  {
    name: 'a model with two steps calls 3,000 tools in one answer',
    control: async () => (await toolsRunFor(10)) === 10,
    attack: async () => (await toolsRunFor(3_000)) > 100,
  },
]

/** Returns how many calls of one answer are run. */
async function toolsRunFor(count: number): Promise<number> {
  let ran = 0
  let answers = 0
  const calls = (): ToolCall[] =>
    Array.from({ length: count }, (_, index) => ({
      id: String(index),
      name: 'shell',
      input: { command: `echo ${index}` },
      isAnswered: false,
    }))
  const conversation = {
    launch: { prompt: 'Work', kind: 'work' },
    model: {
      call: async () => ({
        text: '',
        calls: answers++ === 0 ? calls() : [],
        messages: [],
        usage: null,
        isCut: false,
      }),
    },
    modelName: 'any',
    provider: { name: 'any' },
    tools: [
      {
        name: 'shell',
        description: '',
        schema: {},
        summary: () => '',
        run: async () => {
          ran += 1
          return { text: 'ok' }
        },
      },
    ],
    report: { name: 'report', description: '', schema: {} },
    say: () => {},
    remark: () => {},
    push: () => {},
    hasOutboxReport: async () => true,
    signal: new AbortController().signal,
    maxSteps: 2,
    clock: systemClock,
    retries: { backoffMs: [], silenceMs: 60_000 },
  } as unknown as Conversation
  await converse(conversation)
  return ran
}
