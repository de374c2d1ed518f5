import { argumentsOf, type Body, bits, joined, type Piece, type Protocol, answerText, type Turn } from './protocol.ts'
import type { Answer } from './script.ts'

/** Chat Completions, introduced by OpenAI and supported by nearly every provider. */
export const chat: Protocol = {
  name: 'chat',
  turns: (body) =>
    joined(
      messagesIn(body)
        .filter(({ role }) => !isSystem(role))
        .map(turnOf),
    ),
  system: (body) =>
    messagesIn(body)
      .filter(({ role }) => isSystem(role))
      .map(({ content }) => textOf(content))
      .join('\n'),
  toolNames: (body) => ((body['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name),
  whole: (answer, model, id) => ({
    ...shell('chat.completion', model, id),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answerText(answer), ...callsOf(answer, id) },
        finish_reason: finishOf(answer),
      },
    ],
    usage: usageOf(answer),
  }),
  pieces: (answer, model, id) => [
    ...[
      { role: 'assistant', content: '' },
      ...bits(answerText(answer) ?? '').map((content) => ({ content })),
      ...deltasOf(answer, id),
    ].map((delta) => chunk(model, id, { choices: [{ index: 0, delta, finish_reason: null }] })),
    chunk(model, id, { choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] }),
    chunk(model, id, { choices: [], usage: usageOf(answer) }),
    { data: '[DONE]' },
  ],
  error: ({ type, message }) => ({ error: { type, message, code: null, param: null } }),
  failure: ({ type, message }) => ({ data: { error: { type, message, code: null, param: null } } }),
}

interface Message {
  role: string
  content: string | { text?: string }[] | null
}

const messagesIn = (body: Body): Message[] => (body['messages'] ?? []) as Message[]

const isSystem = (role: string): boolean => role === 'system' || role === 'developer'

/** The API has no field for a failed tool call, only its text. */
const turnOf = ({ role, content }: Message): Turn => ({
  role: role === 'assistant' ? 'assistant' : 'user',
  text: role === 'tool' ? '' : textOf(content),
  results: role === 'tool' ? [{ text: textOf(content), isError: false }] : [],
})

const textOf = (content: Message['content']): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n')

const shell = (object: string, model: string, id: string): Body => ({
  id: `chatcmpl-${id}`,
  object,
  created: 1_700_000_000,
  model,
})

const chunk = (model: string, id: string, more: Body): Piece => ({
  data: { ...shell('chat.completion.chunk', model, id), ...more },
})

const callsOf = ({ tools = [] }: Answer, id: string): Body =>
  tools.length === 0
    ? {}
    : {
        tool_calls: tools.map(({ name, input }, at) => ({
          id: `call_${id}_${at}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      }

const deltasOf = ({ tools = [] }: Answer, id: string): Body[] =>
  tools.flatMap((tool, index) => [
    {
      tool_calls: [
        { index, id: `call_${id}_${index}`, type: 'function', function: { name: tool.name, arguments: '' } },
      ],
    },
    ...bits(argumentsOf(tool)).map((each) => ({ tool_calls: [{ index, function: { arguments: each } }] })),
  ])

const finishOf = ({ tools = [], truncated }: Answer): string =>
  truncated === true ? 'length' : tools.length > 0 ? 'tool_calls' : 'stop'

function usageOf({ tokens = { input: 100, output: 20 } }: Answer): Body {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
}
