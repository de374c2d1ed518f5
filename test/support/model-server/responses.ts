import { argumentsOf, type Body, bits, joined, type Piece, type Protocol, answerText, type Turn } from './protocol.ts'
import type { Answer } from './script.ts'

/** OpenAI's Responses API. */
export const responses: Protocol = {
  name: 'responses',
  turns: (body) => joined(itemsIn(body).flatMap(turnOf)),
  system: (body) =>
    [
      String(body['instructions'] ?? ''),
      ...itemsIn(body)
        .filter(isSystem)
        .map(({ content }) => textOf(content)),
    ]
      .filter((text) => text !== '')
      .join('\n'),
  toolNames: (body) => ((body['tools'] ?? []) as { name: string }[]).map(({ name }) => name),
  whole: (answer, model, id) => finished(answer, model, id),
  pieces: (answer, model, id) => eventsOf(answer, model, id),
  error: ({ type, message }) => ({ error: { type, message, code: null, param: null } }),
  failure: ({ type, message }) =>
    piece('error', { sequence_number: 99, error: { type, code: type, message, param: null } }),
}

interface Item {
  type?: string
  role?: string
  content?: string | { text?: string }[]
  output?: string | { text?: string }[]
}

function itemsIn(body: Body): Item[] {
  const input = body['input'] ?? []
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Item[])
}

const isSystem = ({ role }: Item): boolean => role === 'system' || role === 'developer'

function turnOf(item: Item): Turn[] {
  if (isSystem(item)) return []
  if (item.type === 'function_call') return [{ role: 'assistant', text: '', results: [] }]
  // The API has no field for a failed tool call, only its text.
  if (item.type === 'function_call_output')
    return [{ role: 'user', text: '', results: [{ text: textOf(item.output), isError: false }] }]
  if (item.role === undefined) return []
  return [{ role: item.role === 'assistant' ? 'assistant' : 'user', text: textOf(item.content), results: [] }]
}

const textOf = (content: string | { text?: string }[] | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n')

const piece = (type: string, more: Body): Piece => ({ event: type, data: { type, ...more } })

function eventsOf(answer: Answer, model: string, id: string): Piece[] {
  const { output: _, usage: __, ...begun } = finished(answer, model, id)
  const events = [
    piece('response.created', { response: { ...begun, status: 'in_progress', output: [], usage: null } }),
    ...outputOf(answer, id).flatMap((item, at) =>
      item['type'] === 'message' ? textEvents(item, at, answerText(answer) ?? '') : callEvents(item, at),
    ),
    piece(answer.truncated === true ? 'response.incomplete' : 'response.completed', {
      response: finished(answer, model, id),
    }),
  ]
  return events.map(({ event, data }, at) => ({
    ...(event === undefined ? {} : { event }),
    data: { ...(data as object), sequence_number: at },
  }))
}

function textEvents(item: Body, at: number, text: string): Piece[] {
  const place = { item_id: item['id'], output_index: at, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [] }
  return [
    piece('response.output_item.added', { output_index: at, item: { ...item, status: 'in_progress', content: [] } }),
    piece('response.content_part.added', { ...place, part }),
    ...bits(text).map((delta) => piece('response.output_text.delta', { ...place, delta, logprobs: [] })),
    piece('response.output_text.done', { ...place, text, logprobs: [] }),
    piece('response.content_part.done', { ...place, part: { ...part, text } }),
    piece('response.output_item.done', { output_index: at, item }),
  ]
}

function callEvents(item: Body, at: number): Piece[] {
  const place = { item_id: item['id'], output_index: at }
  return [
    piece('response.output_item.added', { output_index: at, item: { ...item, status: 'in_progress', arguments: '' } }),
    ...bits(String(item['arguments'])).map((delta) =>
      piece('response.function_call_arguments.delta', { ...place, delta }),
    ),
    piece('response.function_call_arguments.done', { ...place, arguments: item['arguments'] }),
    piece('response.output_item.done', { output_index: at, item }),
  ]
}

const finished = (answer: Answer, model: string, id: string): Body => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: 1_700_000_000,
  status: answer.truncated === true ? 'incomplete' : 'completed',
  error: null,
  incomplete_details: answer.truncated === true ? { reason: 'max_output_tokens' } : null,
  model,
  output: outputOf(answer, id),
  usage: usageOf(answer),
})

function outputOf(answer: Answer, id: string): Body[] {
  const text = answerText(answer)
  const message = {
    type: 'message',
    id: `msg_${id}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  const calls = (answer.tools ?? []).map((tool, at) => ({
    type: 'function_call',
    id: `fc_${id}_${at}`,
    call_id: `call_${id}_${at}`,
    status: 'completed',
    name: tool.name,
    arguments: argumentsOf(tool),
  }))
  return text === null ? calls : [message, ...calls]
}

function usageOf({ tokens = { input: 100, output: 20 } }: Answer): Body {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tokens
  const all = input + cacheRead + cacheWrite
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: all + output,
  }
}
