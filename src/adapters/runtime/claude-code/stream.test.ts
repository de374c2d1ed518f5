import { describe, expect, it } from 'vitest'

import type { RuntimeEvent } from '../port.ts'
import { createStream } from './stream.ts'

const nowMs = Date.parse('2026-11-16T12:00:00Z')

function read(lines: readonly (Record<string, unknown> | string)[]) {
  const stream = createStream({ nowMs: () => nowMs, hide: (text) => text.replaceAll('hunter22', '[redacted]') })
  const events: (RuntimeEvent | null)[] = lines.flatMap((line) => {
    const whole = typeof line === 'string' ? line : JSON.stringify({ session_id: 's', uuid: 'u', ...line })
    return stream.readLine(whole) ?? [null]
  })
  return { events, rest: stream.rest(), end: stream.end(), hasReported: stream.hasReported() }
}

const usage = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
})
const message = (id: string, content: object[], more: object = {}) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, model: 'claude-opus-5-5', content, usage: usage(100, 1), ...more },
})
const says = (text: string) => ({ type: 'text', text })
const uses = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const piece = (event: object) => ({ type: 'stream_event', parent_tool_use_id: null, event })
const result = (more: object = {}) => ({ type: 'result', subtype: 'success', is_error: false, result: 'ok', ...more })
const toolResult = (id: string, isError = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'x', is_error: isError }] },
})
const since = (inputTokens: number, outputTokens: number, cacheReadInputTokens = 0) => ({
  model_usage_since_last_result: { 'claude-opus-5-5': { inputTokens, outputTokens, cacheReadInputTokens } },
})
const cost = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  kind: 'usage',
  inputTokens,
  outputTokens,
  model: 'claude-opus-5-5',
  provider: 'anthropic',
  ...more,
})

it('reports texts and tool calls, and ignores other objects', () => {
  const { events } = read([
    { type: 'system', subtype: 'init', tools: ['Bash'] },
    message('m1', [says('Let me look.')]),
    message('m1', [uses('t1', 'Bash', { command: 'ls  -la\n| head' })]),
    toolResult('t1'),
    message('m2', [uses('t2', 'mcp__agency__note_add', { description: 'A note' }), uses('t3', 'Odd', { a: 1 })]),
    { type: 'something_new' },
  ])
  expect(events.filter((event) => event?.kind !== 'usage')).toEqual([
    { kind: 'text', text: 'Let me look.' },
    { kind: 'tool', name: 'Bash', summary: 'ls -la | head' },
    { kind: 'tool', name: 'mcp__agency__note_add', summary: 'A note' },
    { kind: 'tool', name: 'Odd', summary: '{"a":1}' },
  ])
})

it('returns null for lines that are not objects of the stream', () => {
  const lines = ['hello', '{"type":', '[1]', '{"status":1}', '{"type":"assistant","message":5}', '', 'null']
  expect(read(lines).events).toEqual(lines.map(() => null))
})

it('accepts objects with fields of the wrong type', () => {
  const odd = ['assistant', 'user', 'stream_event', 'result', 'system', 'rate_limit_event'].flatMap((type) => [
    { type, message: 5, event: [], permission_denials: 'x', rate_limit_info: 1 },
    { type, message: { content: [1, null, 'x', { type: 'text' }], id: 1, usage: 'x' }, subtype: 7 },
    { type, message: { id: 'm', model: 'm', usage: { input_tokens: -1, output_tokens: 'x' } }, is_error: 'yes' },
  ])
  expect(() => read(odd)).not.toThrow()
})

it('removes secrets from texts, summaries and errors', () => {
  const { events, end } = read([
    message('m1', [says('the key is hunter22'), uses('t1', 'Bash', { command: 'echo hunter22' })]),
    result({
      is_error: true,
      result: 'API Error: hunter22 is refused',
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'rm hunter22' } }],
    }),
  ])
  expect(JSON.stringify(events)).not.toContain('hunter22')
  expect(end.detail).toBe('API Error: [redacted] is refused')
  expect(end.denied?.[0]?.what).toBe('Bash: rm [redacted]')
})

describe('the token count', () => {
  it('includes each call once, with the figures of its end', () => {
    const { events } = read([
      piece({
        type: 'message_start',
        message: { id: 'm1', model: 'claude-opus-5-5', usage: usage(1_000, 1, 200, 30) },
      }),
      message('m1', [says('one')], { usage: usage(1_000, 1, 200, 30) }),
      message('m1', [says('two')], { usage: usage(1_000, 1, 200, 30) }),
      piece({ type: 'message_delta', usage: usage(1_000, 50, 200, 30) }),
      result(since(1_000, 50, 200)),
    ])
    expect(events.filter((event) => event?.kind === 'usage')).toEqual([
      cost(1_230, 50, { cacheReadTokens: 200, cacheWriteTokens: 30 }),
    ])
  })

  it('includes the output of subagents and unseen calls with the next result', () => {
    const { events } = read([
      { ...message('m1', [says('sub')]), parent_tool_use_id: 't1' },
      result(since(150, 40)),
      message('m2', [says('again')], { usage: usage(10, 1) }),
      result(since(10, 5)),
    ])
    expect(events.filter((event) => event?.kind === 'usage')).toEqual([
      cost(100, 1),
      cost(50, 39),
      cost(10, 1),
      cost(0, 4),
    ])
  })

  it('excludes tokens that an earlier process of the same session has counted', () => {
    const total = { modelUsage: { 'claude-opus-5-5': { inputTokens: 99_999, outputTokens: 9_999 } }, total_cost_usd: 9 }
    const { events } = read([message('m1', [says('x')]), result({ ...total, ...since(100, 20) })])
    expect(events.filter((event) => event?.kind === 'usage')).toEqual([cost(100, 1), cost(0, 19)])
  })

  it('includes a call that had not ended when the agent was killed', () => {
    const { events, rest } = read([
      piece({ type: 'message_start', message: { id: 'm1', model: 'claude-opus-5-5', usage: usage(70, 1) } }),
    ])
    expect([events, rest]).toEqual([[], [cost(70, 1)]])
  })

  it('excludes synthetic messages', () => {
    const { events } = read([message('x', [says('API Error')], { model: '<synthetic>' }), result()])
    expect(events).toEqual([{ kind: 'text', text: 'API Error' }])
  })
})

describe('a report in the final message', () => {
  const report = { status: 'done', summary: 'All {done}.', outputs: ['a.txt'] }

  it.each([
    ['alone', JSON.stringify(report), report],
    ['at the end', `I have done {this}.\n\n${JSON.stringify(report, null, 2)}\n`, report],
    ['in a fence', `Done:\n\`\`\`json\n${JSON.stringify(report)}\n\`\`\`\n`, report],
    [
      'with others in it',
      `Here: ${JSON.stringify({ ...report, plan: [{ key: 'a' }] })}`,
      { ...report, plan: [{ key: 'a' }] },
    ],
    ['not at the end', `${JSON.stringify(report)}\nThat is all.`, null],
    ['without a summary', '{"status":"done"}', null],
    ['half', '{"status":"done","summary":', null],
    ['none', 'All done.', null],
    ['a brace', '}', null],
  ])('is read: %s', (_, text, found) => {
    expect(read([result({ result: text })]).rest).toEqual(found === null ? [] : [{ kind: 'report', report: found }])
  })

  it('is taken from the last result that is not an error', () => {
    const first = result({ result: JSON.stringify({ ...report, status: 'partial' }) })
    expect(read([first, result({ result: JSON.stringify(report) })]).rest).toEqual([{ kind: 'report', report }])
    expect(read([first, result({ is_error: true, result: JSON.stringify(report) })]).rest).toMatchObject([
      { report: { status: 'partial' } },
    ])
  })
})

describe('the reason of a failure', () => {
  it.each([
    [result({ is_error: true, result: 'Not logged in · Please run /login' }), 'Not logged in · Please run /login'],
    [
      result({ is_error: true, subtype: 'error_max_turns', num_turns: 51, result: undefined }),
      'the agent used all of its turns (51)',
    ],
    [result({ is_error: true, subtype: 'error_during_execution', result: undefined, errors: ['a', 'b'] }), 'a; b'],
    [result({ is_error: true, subtype: 'odd', result: undefined }), 'odd'],
    [result(), undefined],
  ])('is read from the result, case %#', (line, detail) => {
    expect(read([line]).end.detail).toBe(detail)
  })

  it('is dropped if a later result succeeds', () => {
    expect(read([result({ is_error: true, result: 'no' }), result()]).end).toEqual({})
  })

  it('is reported with each retry', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 6, retry_delay_ms: 1_200 }
    expect(
      read([
        { ...retry, error_status: 529, error: 'overloaded' },
        { ...retry, error_status: null, error: 'unknown' },
      ]).events,
    ).toEqual([
      { kind: 'text', text: 'a model call failed (529 overloaded); retrying in 2 s (1 of 6)' },
      { kind: 'text', text: 'a model call failed; retrying in 2 s (1 of 6)' },
    ])
  })
})

describe('the limit of a provider', () => {
  const error = (text: string, status: number | null = null) =>
    result({ is_error: true, result: text, api_error_status: status })
  const atSeconds = nowMs / 1_000

  it.each([
    [error('API Error: Request rejected (429)', 429), null],
    [error('API Error: Repeated 529 Overloaded errors.', 529), null],
    [error(`Claude AI usage limit reached|${atSeconds + 3_600}`), 3_600],
    [error('You have hit your session limit · resets 3pm (UTC)'), 3 * 3_600],
    [error("You've hit your weekly limit · resets 1:30pm (Europe/Berlin)"), 30 * 60],
    [error('5-hour limit reached ∙ resets at 11am'), 23 * 3_600],
    [error('usage limit reached, resets 3pm (Nowhere/City)'), null],
  ])('is recognised, case %#', (line, seconds) => {
    expect(read([line]).end.limited).toMatchObject({ seconds })
  })

  it.each([
    error('API Error: 500', 500),
    error('Invalid API key', 401),
    error('API Error: Connection error.'),
    result(),
  ])('is not assumed for other failures, case %#', (line) => {
    expect(read([line]).end.limited).toBeUndefined()
  })

  it('lasts as long as the last retry delay, or until the subscription resets', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 1, retry_delay_ms: 2_500 }
    expect(read([retry, error('429', 429)]).end.limited?.seconds).toBe(3)
    const info = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: atSeconds + 60 } }
    expect(read([retry, info, error('429', 429)]).end.limited?.seconds).toBe(60)
  })
})

it('reports each denied operation once, with the rule that allows it', () => {
  const denials = [
    { tool_name: 'Bash', tool_input: { command: 'rm -rf x' } },
    { tool_name: 'Read', tool_input: { file_path: '/etc/hostname' } },
    { tool_name: 'Odd', tool_input: {} },
  ]
  const { end, events } = read([
    { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', message: 'rm needs approval.' },
    result({ permission_denials: denials }),
    result({ permission_denials: denials.slice(0, 1) }),
  ])
  expect(events).toEqual([{ kind: 'text', text: 'not allowed: rm needs approval.' }])
  expect(end.denied).toEqual([
    { rule: 'Bash(rm -rf x)', what: 'Bash: rm -rf x' },
    { rule: 'Read(/etc/hostname)', what: 'Read: /etc/hostname' },
    { rule: 'Odd', what: 'Odd: {}' },
  ])
})

it.each([
  ['its tool', { type: 'tool_use', name: 'mcp__agency__report', input: {} }, true],
  ['the command', { type: 'tool_use', name: 'Bash', input: { command: 'agency report --verdict fail' } }, true],
  ['no call', { type: 'tool_use', name: 'Bash', input: { command: 'sh test.sh' } }, false],
  ['its words alone', { type: 'text', text: 'I call mcp__agency__report now.' }, false],
])('knows whether the agent has reported itself: %s', (_, block, expected) => {
  expect(read([{ type: 'assistant', message: { content: [block] } }]).hasReported).toBe(expected)
})
