import { argumentsOf, type Body, bits, type Piece, type Protocol, answerText, type Turn } from './protocol.ts'
import type { Answer, Tokens, ToolResult, ToolUse } from './script.ts'

/** Anthropic's Messages API. */
export const messages: Protocol = {
  name: 'messages',
  // A system message can follow the user's: it is not the prompt.
  turns: (body) => ((body['messages'] ?? []) as Message[]).filter(({ role }) => role !== 'system').map(turnOf),
  system: (body) => textOf(body['system'] as string | Block[] | undefined),
  toolNames: (body) => ((body['tools'] ?? []) as { name: string }[]).map(({ name }) => name),
  whole: (answer, model, id) => ({
    ...shell(model, id),
    content: contentOf(answer, id),
    stop_reason: stopOf(answer),
    usage: usageOf(answer),
  }),
  pieces: (answer, model, id) => eventsOf(answer, model, id).map(piece),
  error: (error) => ({ type: 'error', error: { ...error } }),
  failure: (error) => piece({ type: 'error', error: { ...error } }),
}

interface Message {
  role: string
  content: string | Block[]
}

interface Block {
  type: string
  text?: string
  content?: string | Block[]
  is_error?: boolean
}

type Wire = { type: string } & Body

const piece = (event: Wire): Piece => ({ event: event.type, data: event })

/** The input tokens are sent at the beginning; the output tokens are known only at the end. */
function eventsOf(answer: Answer, model: string, id: string): Wire[] {
  const usage = usageOf(answer)
  const { tools = [] } = answer
  const content = contentOf(answer, id)
  const parts = content.flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltasOf(block, tools[index - (content.length - tools.length)]).map((delta) => ({
      type: 'content_block_delta',
      index,
      delta,
    })),
    { type: 'content_block_stop', index },
  ])
  return [
    {
      type: 'message_start',
      message: { ...shell(model, id), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...parts,
    { type: 'message_delta', delta: { stop_reason: stopOf(answer), stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

const shell = (model: string, id: string): Wire => ({
  type: 'message',
  id: `msg_${id}`,
  role: 'assistant',
  model,
  stop_sequence: null,
})

function contentOf(answer: Answer, id: string): Wire[] {
  const calls = (answer.tools ?? []).map(({ name, input }, at) => ({
    type: 'tool_use',
    id: `toolu_${id}_${at}`,
    name,
    input,
  }))
  const text = answerText(answer)
  return text === null ? calls : [{ type: 'text', text }, ...calls]
}

const emptied = (block: Wire): Wire => (block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} })

function deltasOf(block: Wire, tool: ToolUse | undefined): Wire[] {
  if (tool !== undefined) return [{ type: 'input_json_delta', partial_json: argumentsOf(tool) }]
  return bits(String(block['text'])).map((text) => ({ type: 'text_delta', text }))
}

const stopOf = ({ tools = [], truncated }: Answer): string =>
  truncated === true ? 'max_tokens' : tools.length > 0 ? 'tool_use' : 'end_turn'

const defaultTokens: Tokens = { input: 100, output: 20 }

function usageOf({ tokens = defaultTokens }: Answer): Record<string, number> {
  return {
    input_tokens: tokens.input,
    cache_creation_input_tokens: tokens.cacheWrite ?? 0,
    cache_read_input_tokens: tokens.cacheRead ?? 0,
    output_tokens: tokens.output,
  }
}

const turnOf = (message: Message): Turn => ({
  role: message.role === 'assistant' ? 'assistant' : 'user',
  // Without the text that the agent adds by itself.
  text: textOf(message.content).replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, ''),
  results: typeof message.content === 'string' ? [] : message.content.flatMap(toolResult),
})

const toolResult = (block: Block): ToolResult[] =>
  block.type === 'tool_result' ? [{ text: textOf(block.content), isError: block.is_error === true }] : []

const textOf = (content: string | Block[] | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n')
