import { describe, expect, it, onTestFinished } from 'vitest'

import { broken, overloaded, promptHas, rateLimited, type Rule, turns, unauthorised } from './script.ts'
import { startModelServer } from './server.ts'

async function serverWith(rules: readonly Rule[] = []) {
  const server = await startModelServer(rules)
  onTestFinished(() => server.stop())
  const ask = (messages: unknown[], more: Record<string, unknown> = {}) =>
    fetch(`${server.url}/v1/messages?beta=true`, {
      method: 'POST',
      body: JSON.stringify({ model: 'some-model', messages, ...more }),
    })
  return { server, ask }
}

type Wire = Record<string, unknown>
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const result = (text: string, is_error = false) => user([{ type: 'tool_result', content: text, is_error }])

it('answers without a stream, with its usage', async () => {
  const { ask } = await serverWith([{ reply: { text: 'Hello.', tokens: { input: 7, output: 3, cacheRead: 5 } } }])
  expect(await (await ask([user('Hi')])).json()).toMatchObject({
    type: 'message',
    role: 'assistant',
    model: 'some-model',
    content: [{ type: 'text', text: 'Hello.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 0 },
  })
})

it('streams the same in pieces', async () => {
  const { ask } = await serverWith([
    { reply: { text: 'A somewhat longer text.', tools: [{ name: 'Bash', input: { command: 'ls' } }] } },
  ])
  const response = await ask([user('Hi')], { stream: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = eventsIn(await response.text())
  expect(events[0]).toMatchObject({ type: 'message_start', message: { content: [] } })
  expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: 'tool_use' } })
  expect(events.at(-1)).toEqual({ type: 'message_stop' })
  const deltas = events.filter(({ type }) => type === 'content_block_delta') as unknown as {
    delta: { text?: string }
  }[]
  expect(deltas.map(({ delta }) => delta.text ?? '').join('')).toBe('A somewhat longer text.')
  expect(deltas.at(-1)).toMatchObject({ delta: { type: 'input_json_delta', partial_json: '{"command":"ls"}' } })
})

it('selects its turn by the conversation since the last prompt, and repeats it for a retry', async () => {
  const { server, ask } = await serverWith([turns([{ text: 'one' }, { text: 'two' }])])
  const first = [user('Hi')]
  const second = [...first, assistant('one'), result('fine', true), { role: 'system', content: 'by the way' }]
  const texts: unknown[] = []
  for (const messages of [first, first, second, [...second, assistant('two'), user('More')]]) {
    const { content } = (await (await ask(messages)).json()) as { content: unknown[] }
    texts.push(content[0])
  }
  expect(texts).toMatchObject([{ text: 'one' }, { text: 'one' }, { text: 'two' }, { text: 'one' }])
  expect(server.asked[2]).toMatchObject({ prompt: 'Hi', step: 1, toolResults: [{ text: 'fine', isError: true }] })
  expect(server.asked[3]).toMatchObject({ firstPrompt: 'Hi', prompt: 'More', step: 0 })
})

it('applies the first matching rule as often as it allows', async () => {
  const { ask } = await serverWith([
    { when: promptHas('secret'), reply: { text: 'hush' } },
    { times: 1, reply: overloaded },
    { reply: { text: 'fine' } },
  ])
  const statuses = []
  for (const prompt of ['secret', 'a', 'b']) statuses.push((await ask([user(prompt)])).status)
  expect(statuses).toEqual([200, 529, 200])
})

describe('the same answer through every API', () => {
  const answer = {
    text: 'A somewhat longer text.',
    tools: [{ name: 'read_file', input: { path: 'poem.txt' } }],
    tokens: { input: 7, output: 3, cacheRead: 5 },
  }
  const call = { name: 'read_file', arguments: '{"path":"poem.txt"}' }
  const apis = {
    responses: {
      path: '/v1/responses',
      body: {
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
          { role: 'assistant', content: [{ type: 'output_text', text: 'one' }] },
          { type: 'function_call', call_id: 'c', name: 'read_file', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'fine' },
        ],
        tools: [{ type: 'function', name: 'read_file' }],
      },
      whole: {
        output: [
          { type: 'message', content: [{ text: answer.text }] },
          { type: 'function_call', ...call },
        ],
        usage: { input_tokens: 12, output_tokens: 3, input_tokens_details: { cached_tokens: 5 } },
      },
      deltas: (events: Wire[]) =>
        events.flatMap((each) => (each['type'] === 'response.output_text.delta' ? [each['delta']] : [])),
      last: { type: 'response.completed', response: { status: 'completed', usage: { output_tokens: 3 } } },
    },
    chat: {
      path: '/v1/chat/completions',
      body: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          user('Hi'),
          { role: 'assistant', content: 'one', tool_calls: [{ id: 'c', function: { name: 'read_file' } }] },
          { role: 'tool', tool_call_id: 'c', content: 'fine' },
        ],
        tools: [{ type: 'function', function: { name: 'read_file' } }],
      },
      whole: {
        choices: [{ message: { content: answer.text, tool_calls: [{ function: call }] }, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } },
      },
      deltas: (events: Wire[]) =>
        (events as unknown as { choices: { delta: { content?: string } }[] }[]).flatMap(({ choices }) =>
          choices.flatMap(({ delta }) => delta.content ?? []),
        ),
      last: { choices: [], usage: { completion_tokens: 3 } },
    },
  } as const

  it.each(['responses', 'chat'] as const)('is given by %s', async (name) => {
    const { path, body, whole, deltas, last } = apis[name]
    const { server } = await serverWith([{ times: 2, reply: answer }, { reply: rateLimited(7) }])
    const ask = (more = {}) =>
      fetch(server.url + path, { method: 'POST', body: JSON.stringify({ model: 'some-model', ...body, ...more }) })
    expect(await (await ask()).json()).toMatchObject({ model: 'some-model', ...whole })
    expect(server.asked[0]).toMatchObject({
      protocol: name,
      prompt: 'Hi',
      step: 1,
      system: 'Be brief.',
      toolNames: ['read_file'],
      toolResults: [{ text: 'fine' }],
    })
    const events = eventsIn((await (await ask({ stream: true })).text()).replace('data: [DONE]', '')) as Wire[]
    expect(deltas(events).join('')).toBe(answer.text)
    expect(events.at(-1)).toMatchObject(last)
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_error' } })
  })
})

describe('a simulated failure', () => {
  it.each([
    [rateLimited(7), 429, 'rate_limit_error'],
    [overloaded, 529, 'overloaded_error'],
    [broken, 500, 'api_error'],
    [unauthorised, 401, 'authentication_error'],
  ])('answers with the status and error of %j', async (reply, status, type) => {
    const { ask } = await serverWith([{ reply }])
    const response = await ask([user('Hi')])
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type } })
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null)
  })

  it('answers with a page instead of JSON', async () => {
    const { ask } = await serverWith([{ reply: { status: 502, html: '<h1>Bad gateway</h1>' } }])
    expect(await (await ask([user('Hi')])).text()).toBe('<h1>Bad gateway</h1>')
  })

  it('closes the connection before or during its answer', async () => {
    const { ask } = await serverWith([{ times: 1, reply: 'refuse' }, { reply: { text: 'one', cutAfter: 3 } }])
    await expect(ask([user('Hi')])).rejects.toThrow('fetch failed')
    const response = await ask([user('Hi')], { stream: true })
    await expect(response.text()).rejects.toThrow('terminated')
  })

  it('sends nothing', async () => {
    const { server } = await serverWith([{ reply: 'hang' }])
    const body = JSON.stringify({ messages: [] })
    const waiting = fetch(`${server.url}/v1/messages`, { method: 'POST', body, signal: AbortSignal.timeout(100) })
    await expect(waiting).rejects.toThrow('timeout')
  })

  it('delays the first byte and the pieces', async () => {
    const { ask } = await serverWith([{ reply: { text: 'x', firstByteMs: 50, paceMs: 10 } }])
    const before = performance.now()
    await (await ask([user('Hi')], { stream: true })).text()
    // Six pieces with five pauses of ten milliseconds; timers may be a millisecond early.
    expect(performance.now() - before).toBeGreaterThan(90)
  })

  it('refuses connections until it is started again', async () => {
    const { server, ask } = await serverWith()
    await server.stop()
    await expect(ask([user('Hi')])).rejects.toThrow('fetch failed')
    await server.start()
    expect((await ask([user('Hi')])).status).toBe(200)
  })
})

it('records other requests, and rejects invalid JSON', async () => {
  const { server } = await serverWith()
  await fetch(server.url, { method: 'HEAD' })
  expect(server.others).toEqual(['HEAD /'])
  expect((await fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{' })).status).toBe(400)
  expect(server.asked).toEqual([])
})

const eventsIn = (stream: string): { type: string }[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as { type: string })
