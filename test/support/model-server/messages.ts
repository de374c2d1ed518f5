import type { Reply, Tokens } from './script.ts'

type Answer = Extract<Reply, { text?: string }>

/** One event of a stream, or a whole message, as the Messages API words them. */
export type Wire = { type: string } & Record<string, unknown>

export function wholeMessage(answer: Answer, model: string, id: string): Wire {
  return { ...shell(model, id), content: contentOf(answer, id), stop_reason: stopOf(answer), usage: usageOf(answer) }
}

/** The same message in pieces. What was read is said at the beginning; how much it wrote is known only at the end. */
export function messageEvents(answer: Answer, model: string, id: string): Wire[] {
  const usage = usageOf(answer)
  const pieces = contentOf(answer, id).flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ])
  return [
    {
      type: 'message_start',
      message: { ...shell(model, id), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...pieces,
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

function contentOf({ text, tools = [] }: Answer, id: string): Wire[] {
  const calls = tools.map(({ name, input }, at) => ({ type: 'tool_use', id: `toolu_${id}_${at}`, name, input }))
  return text === undefined && calls.length > 0 ? calls : [{ type: 'text', text: text ?? 'Done.' }, ...calls]
}

const emptied = (block: Wire): Wire => (block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} })

function deltasOf(block: Wire): Wire[] {
  if (block.type !== 'text') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }]
  const words = String(block['text']).match(/[\s\S]{1,16}/g) ?? ['']
  return words.map((text) => ({ type: 'text_delta', text }))
}

const stopOf = ({ tools = [] }: Answer): string => (tools.length > 0 ? 'tool_use' : 'end_turn')

const defaultTokens: Tokens = { input: 100, output: 20 }

function usageOf({ tokens = defaultTokens }: Answer): Record<string, number> {
  return {
    input_tokens: tokens.input,
    cache_creation_input_tokens: tokens.cacheWrite ?? 0,
    cache_read_input_tokens: tokens.cacheRead ?? 0,
    output_tokens: tokens.output,
  }
}
