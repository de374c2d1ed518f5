import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { boxHere, createTestBox } from '../../../../test/support/box.ts'
import {
  broken,
  type Reply,
  rateLimited,
  type Rule,
  type ToolUse,
  turns,
  unauthorised,
} from '../../../../test/support/model-server/script.ts'
import { type ModelServer, startModelServer } from '../../../../test/support/model-server/server.ts'
import { redact } from '../../../secrets/redact.ts'
import { makeLaunch, textsOf } from '../contract-suite.ts'
import type { AgentEnded, Launch, RuntimeEvent } from '../port.ts'
import type { ProviderKind } from './contract.ts'
import { createLlmRuntime } from './runtime.ts'

const key = 'dummy-key-that-nobody-may-see'
const protocols = [
  ['messages', 'anthropic'],
  ['responses', 'openai'],
  ['chat', 'openai-compatible'],
] as const satisfies [string, ProviderKind][]

interface Setting {
  readonly kind?: ProviderKind
  readonly launch?: Partial<Launch>
  readonly options?: Record<string, unknown>
  readonly silenceMs?: number
}

async function begin(rules: readonly Rule[], setting: Setting = {}) {
  const { kind = 'anthropic', launch: more = {}, options = {}, silenceMs = 60_000 } = setting
  const model = await startModelServer(rules)
  onTestFinished(() => model.stop())
  const runtime = createLlmRuntime({
    providers: { tested: { kind, baseUrl: model.url + (kind === 'openai-compatible' ? '/v1' : ''), apiKeyEnv: 'K' } },
    environment: { K: key },
    defaultMode: 'cautious',
    retries: { backoffMs: [1, 1], silenceMs },
  })
  const launch = await makeLaunch({ options: { provider: 'tested', model: 'some-model', ...options }, ...more })
  return { model, runtime, launch }
}

async function play(rules: readonly Rule[], setting: Setting = {}): Promise<Played> {
  const { model, runtime, launch } = await begin(rules, setting)
  const events: RuntimeEvent[] = []
  for await (const event of (await runtime.launch(launch)).events) events.push(event)
  expect(JSON.stringify(events)).not.toContain(key)
  return {
    model,
    launch,
    events,
    ended: events.at(-1) as AgentEnded,
    reports: events.flatMap((event) => (event.kind === 'report' ? [event.report] : [])),
  }
}

interface Played {
  readonly model: ModelServer
  readonly launch: Launch
  readonly events: readonly RuntimeEvent[]
  readonly ended: AgentEnded
  readonly reports: readonly unknown[]
}

const use = (name: string, input: Record<string, unknown> = {}): ToolUse => ({ name, input })
const reports = (report: Record<string, unknown>): Reply => ({ tools: [use('report', report)] })
const done = { status: 'done', summary: 'All done.', outputs: ['poem.txt'] }
const fine = { kind: 'ended', exitCode: 0, signal: null }
/** The answers of the tools in every model call. */
const answers = ({ model }: Played): string[] =>
  model.asked.flatMap(({ toolResults }) => toolResults.map(({ text }) => text))

describe.each(protocols)('through %s', (protocol, kind) => {
  it('uses its tools, reports the usage, and makes a report', async () => {
    const played = await play(
      [
        turns([
          { text: 'I begin.', tools: [use('write_file', { path: 'poem.txt', content: 'Rivers\n' })] },
          { tools: [use('run_command', { command: 'wc -c < poem.txt' }), use('read_file', { path: 'poem.txt' })] },
          { tools: [use('report', done)], tokens: { input: 7, output: 3, cacheRead: 5 } },
        ]),
      ],
      { kind, launch: { systemPrompt: 'You are a poet.' } },
    )
    expect(played.events).toMatchObject([
      { kind: 'text', text: 'I begin.' },
      { kind: 'usage', inputTokens: 100, outputTokens: 20, model: 'some-model', provider: 'tested' },
      { kind: 'tool', name: 'write_file', summary: 'poem.txt' },
      { kind: 'usage' },
      { kind: 'tool', name: 'run_command', summary: 'wc -c < poem.txt' },
      { kind: 'tool', name: 'read_file', summary: 'poem.txt' },
      { kind: 'usage', inputTokens: 12, outputTokens: 3, cacheReadTokens: 5 },
      { kind: 'tool', name: 'report', summary: 'done: All done.' },
      { kind: 'report', report: done },
      fine,
    ])
    expect(await played.launch.workspace.read('poem.txt', 100)).toMatchObject({ text: 'Rivers\n' })
    expect(answers(played)).toEqual(['wrote 7 bytes to poem.txt', 'exit code 0\n7\n', 'Rivers\n'])
    expect(played.model.asked[0]).toMatchObject({ protocol, system: 'You are a poet.', model: 'some-model' })
    expect(played.model.asked[0]?.prompt).toBe(played.launch.prompt)
    expect(played.model.asked[0]?.body['stream']).toBe(true)
    if (protocol === 'responses') expect(played.model.asked[0]?.body['store']).toBe(false)
    // The conversation up to here is the same at the next call.
    if (protocol === 'messages') expect(JSON.stringify(played.model.asked[1]?.body)).toContain('"cache_control"')
  })

  it('retries twice after transient failures, and discards half an answer', async () => {
    const half: Reply = { text: 'Half of', tools: [use('write_file', { path: 'no.txt', content: 'x' })], cutAfter: 5 }
    const played = await play([{ times: 1, reply: broken }, { times: 1, reply: half }, { reply: reports(done) }], {
      kind,
    })
    expect(played.reports).toEqual([done])
    expect(played.model.asked).toHaveLength(3)
    expect(await played.launch.workspace.read('no.txt', 100)).toBeNull()
    const remarks = textsOf(played.events).filter((text) => text.includes('retrying'))
    expect(remarks[0]).toMatch(/^tested \(127\.0\.0\.1:\d+\) answered 500: Internal server error; retrying \(1 of 2\)/)
    expect(remarks[1]).toMatch(/ended the stream in the middle of its answer; retrying \(2 of 2\)/)
  })

  it.each([
    ['repeated 500', broken, /answered 500: Internal server error \(tried 3 times\)$/, 3],
    [
      'half a stream',
      { text: 'Half of it', cutAfter: 3 },
      /ended the stream in the middle of its answer \(tried 3 times\)$/,
      3,
    ],
    ['a refused connection', 'refuse', /ended the stream|cannot be reached/, 3],
    ['a page', { status: 200, html: '<h1>Log in</h1>' }, /answered with text\/html instead of a stream/, 1],
    ['an error page', { status: 502, html: '<h1>Bad gateway</h1>' }, /answered 502: /, 3],
    ['a wrong key', unauthorised, /rejects the key in K: set another key .* \(401: /, 1],
    [
      'an unknown model',
      { status: 404, error: { type: 'not_found_error', message: 'no such model' } },
      /has no such model, or not at this address \(404: no such model\)$/,
      1,
    ],
    [
      'an invalid request',
      { status: 400, error: { type: 'invalid_request_error', message: 'prompt is too long' } },
      /rejected the call \(400: prompt is too long\)$/,
      1,
    ],
  ] as const)('reports in one line: %s', async (_, reply, detail, calls) => {
    const { ended, model, reports: none } = await play([{ reply: reply as Reply }], { kind })
    expect(ended).toMatchObject({ kind: 'ended', exitCode: null, signal: null })
    expect(ended.detail).toMatch(detail)
    expect(ended.detail).toMatch(/^tested \(127\.0\.0\.1:\d+\) /)
    expect(ended.limited).toBeUndefined()
    expect(model.asked).toHaveLength(calls)
    expect(none).toEqual([])
  })

  it.each([
    ['429 with a time', rateLimited(7), 7],
    ['429 without one', rateLimited(), null],
    ['529', { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } }, null],
    ['an overload in the middle', { text: 'I beg', failAfter: 2 }, null],
    ['an unpaid bill', { status: 402, error: { type: 'billing_error', message: 'insufficient_quota' } }, null],
  ] as const)('leaves waiting for the provider to the engine: %s', async (_, reply, seconds) => {
    const { ended, model } = await play([{ reply }], { kind })
    expect(ended).toMatchObject({ exitCode: null, signal: null, limited: { provider: 'tested', seconds } })
    expect(model.asked).toHaveLength(1)
  })

  it('returns an invalid report once, and accepts the next one', async () => {
    const output = { name: 'the plan', schema: { type: 'object', required: ['tasks'], properties: { tasks: list } } }
    const played = await play(
      [
        turns([
          reports({ status: 'finished', summary: 'x' }),
          reports({ ...done, output: { tasks: ['one'] } }),
          reports({ ...done, output: { tasks: 3 } }),
        ]),
      ],
      { kind, launch: { output } },
    )
    expect(played.reports).toEqual([{ ...done, output: { tasks: ['one'] } }])
    expect(answers(played)[0]).toMatch(/Your report is invalid:(\n|\\n)- status: /)
    expect(played.ended).toEqual(fine)
  })

  it('ends with the report as it is if it is invalid again', async () => {
    const wrong = { ...done, output: { tasks: 3 } }
    const output = { name: 'the plan', schema: { type: 'object', required: ['tasks'], properties: { tasks: list } } }
    const played = await play([{ reply: reports(wrong) }], { kind, launch: { output } })
    expect(played.model.asked).toHaveLength(2)
    expect(played.reports).toEqual([wrong])
    expect(played.ended).toEqual({
      ...fine,
      detail: 'the agent sent the same invalid report twice: output: /tasks must be array',
    })
  })
})

const list = { type: 'array', items: { type: 'string' } }

describe('a report in a text', () => {
  const output = { name: 'the plan', schema: { type: 'object', required: ['tasks'], properties: { tasks: list } } }

  it('is found between other words', async () => {
    const text = `Here {it} is:\n\n\`\`\`json\n${JSON.stringify(done, null, 2)}\n\`\`\`\nThat is all.`
    expect((await play([{ reply: { text } }])).reports).toEqual([done])
  })

  it('may be the output alone if one is required', async () => {
    const played = await play([{ reply: { text: 'So: {"tasks": ["one"]}' } }], { launch: { output } })
    expect(played.reports).toEqual([{ status: 'done', summary: 'Delivered the plan.', output: { tasks: ['one'] } }])
  })

  it('is corrected in the same conversation', async () => {
    const played = await play(
      [
        { when: ({ prompt }) => prompt.includes('/tasks must be array'), reply: { text: '{"tasks": ["one"]}' } },
        { reply: { text: '{"tasks": "one"}' } },
      ],
      { launch: { output } },
    )
    expect(played.reports).toMatchObject([{ output: { tasks: ['one'] } }])
    expect(played.model.asked.map(({ firstPrompt }) => firstPrompt)).toEqual([
      played.launch.prompt,
      played.launch.prompt,
    ])
  })

  it('is requested once if it is missing', async () => {
    const played = await play([{ reply: { text: 'I think that I am done.' } }])
    expect(played.model.asked).toHaveLength(2)
    expect(played.model.asked[1]?.prompt).toBe('You have ended without a report. Call the tool `report` now.')
    expect(played.reports).toEqual([])
    expect(played.ended).toEqual(fine)
  })

  it('must contain the fields of its kind of brief', async () => {
    const plan = [{ key: 'a', objective: 'Do it', after: [] }]
    const planned = await play([turns([reports(done), reports({ ...done, plan })])], { launch: { kind: 'plan' } })
    expect(planned.reports).toEqual([{ ...done, plan }])
    expect(answers(planned)[0]).toContain('- plan: is missing')
    const judged = await play([{ reply: reports(done) }], { launch: { kind: 'verify' } })
    expect(judged.ended.detail).toContain('verdict: is missing')
  })
})

describe('a model without progress', () => {
  it('is stopped after the same call five times in a row', async () => {
    const played = await play([{ reply: { tools: [use('read_file', { path: 'poem.txt' })] } }])
    expect(played.model.asked).toHaveLength(5)
    expect(played.ended).toMatchObject({
      exitCode: 1,
      detail: 'the agent called read_file with the same input 5 times in a row',
    })
  })

  it('is stopped after its last step', async () => {
    const played = await play(
      [{ reply: ({ step }) => ({ tools: [use('list_files', { path: '.', recursive: step % 2 === 0 })] }) }],
      { options: { max_steps: 3 } },
    )
    expect(played.model.asked).toHaveLength(3)
    expect(played.ended).toMatchObject({ exitCode: 1, detail: 'the agent used all of its steps (3)' })
  })

  it('gets an error for unknown tools and invalid input', async () => {
    const played = await play([
      turns([
        { tools: [use('fly'), use('read_file', { path: 3 })] },
        { tools: [use('write_file', { path: 'a' })] },
        reports(done),
      ]),
    ])
    expect(answers(played)).toEqual([
      expect.stringContaining("unavailable tool 'fly'"),
      expect.stringMatching(/^error: path: /),
      expect.stringMatching(/^error: content: /),
    ])
    expect(played.reports).toEqual([done])
  })

  it.each(protocols)('is asked once more for a report that was cut, through %s', async (_, kind) => {
    const half: Reply = { tools: [{ name: 'report', input: done, half: true }], truncated: true }
    const played = await play([{ reply: half }], { kind })
    expect(played.model.asked).toHaveLength(2)
    expect(played.reports).toEqual([expect.stringMatching(/^{"status":"done"/)])
    expect(played.ended).toMatchObject({
      exitCode: 0,
      detail: expect.stringMatching(/invalid( report twice)?: /) as string,
    })
    expect(textsOf(played.events)[0]).toMatch(/^the answer was cut/)
  })

  it('runs at most 32 calls of one answer, and its report', async () => {
    const calls = Array.from({ length: 40 }, (_, index) => use('write_file', { path: `${index}.txt`, content: 'x' }))
    const played = await play([{ reply: { tools: [...calls, use('report', done)] } }])
    expect(await played.launch.workspace.read('31.txt', 10)).toMatchObject({ text: 'x' })
    expect(await played.launch.workspace.read('32.txt', 10)).toBeNull()
    expect(played.reports).toEqual([done])
  })

  it('runs its other calls before its report', async () => {
    const both = [use('report', done), use('write_file', { path: 'poem.txt', content: 'x' })]
    const played = await play([{ reply: { tools: both } }])
    expect(await played.launch.workspace.read('poem.txt', 10)).toMatchObject({ text: 'x' })
    expect(played.reports).toEqual([done])
  })

  it('counts as interrupted after silence', async () => {
    const { ended, model } = await play([{ reply: 'hang' }], { silenceMs: 200 })
    expect(ended.detail).toMatch(/sent nothing for 1 seconds \(tried 3 times\)$/)
    expect(model.asked).toHaveLength(3)
  })
})

describe('an interruption', () => {
  it('ends a model call at once', async () => {
    const { runtime, launch, model } = await begin([{ reply: { text: 'word '.repeat(1_000), paceMs: 1_000 } }])
    const handle = await runtime.launch(launch)
    const events = handle.events[Symbol.asyncIterator]()
    await vi.waitUntil(() => model.asked.length === 1)
    await handle.interrupt()
    let last = await events.next()
    while (last.value?.kind !== 'ended') last = await events.next()
    expect(last.value).toEqual({ kind: 'ended', exitCode: null, signal: 'SIGTERM' })
    expect(model.asked).toHaveLength(1)
  })

  it('ends a command too', async () => {
    const { runtime, launch } = await begin([
      { reply: { tools: [use('run_command', { command: 'echo x > begun; sleep 1000' })] } },
    ])
    const handle = await runtime.launch(launch)
    await vi.waitUntil(async () => (await launch.workspace.read('begun', 10))?.text === 'x\n', { timeout: 10_000 })
    await handle.interrupt()
    const events: RuntimeEvent[] = []
    for await (const event of handle.events) events.push(event)
    expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: null, signal: 'SIGTERM' })
  })
})

describe('the file tools', () => {
  const tryOut = async (name: string, input: Record<string, unknown>, prepare?: (launch: Launch) => Promise<void>) => {
    const { runtime, launch, model } = await begin([turns([{ tools: [use(name, input)] }, reports(done)])])
    await prepare?.(launch)
    for await (const _ of (await runtime.launch(launch)).events);
    return { text: model.asked[1]?.toolResults[0]?.text ?? '', launch }
  }

  it.each([
    ['read_file', { path: '/etc/passwd' }],
    ['read_file', { path: '../run_1/brf_1/../../secret' }],
    ['write_file', { path: '../escaped.txt', content: 'x' }],
    ['write_file', { path: '/tmp/agency-escaped.txt', content: 'x' }],
    ['list_files', { path: '..' }],
    ['list_files', { path: '/' }],
    ['search_files', { pattern: 'root', path: '/etc' }],
  ])('reject paths outside the workspace: %s %j', async (name, input) => {
    const { text } = await tryOut(name, input)
    expect(text).toMatch(/is not in the workspace$/)
  })

  it.each([
    ['read_file', { path: 'out/passwd' }, /there is no file/],
    ['write_file', { path: 'out/agency-escaped.txt', content: 'x' }, /leads outside the workspace/],
    ['list_files', { path: 'out' }, /is not in the workspace/],
    ['search_files', { pattern: 'root', path: 'out' }, /is not in the workspace/],
    ['search_files', { pattern: 'root:' }, /^nothing found$/],
    ['list_files', {}, /^\.agency\/\n\.agency\/outbox\/\nout \(link\)$/],
  ])('do not follow links out of the workspace: %s %j', async (name, input, expected) => {
    const { text } = await tryOut(name, input, ({ workspace }) => symlink('/etc', join(workspace.path, 'out')))
    expect(text).toMatch(expected)
  })

  it.each(['.agency/mission.json', './.agency//x/y.txt', 'ours/mission.json', '.agency/outbox/../mission.json'])(
    'reject writes to Agency’s own files: %s',
    async (path) => {
      const { text, launch } = await tryOut('write_file', { path, content: 'mine' }, async ({ workspace }) => {
        await workspace.write('.agency/mission.json', 'ours')
        await symlink('.agency', join(workspace.path, 'ours'))
      })
      expect(text).toMatch(/^error: (below \.agency you may write only to \.agency\/outbox|.*is not in the workspace)$/)
      expect(await readFile(join(launch.workspace.path, '.agency/mission.json'), 'utf8')).toBe('ours')
    },
  )

  it('search, read in parts, and accept absolute paths in the workspace', async () => {
    const { runtime, launch, model } = await begin([
      turns([
        { tools: [use('search_files', { pattern: "it's|SEA", ignore_case: true })] },
        { tools: [use('read_file', { path: 'deep/poem.txt', from_line: 2, lines: 1 })] },
        { tools: [use('search_files', { pattern: '(' })] },
        reports(done),
      ]),
    ])
    await launch.workspace.write('deep/poem.txt', "a river\nit's long\nto the sea\n")
    await launch.workspace.write('big.txt', 'x'.repeat(70_000))
    for await (const _ of (await runtime.launch(launch)).events);
    expect(model.asked.flatMap(({ toolResults }) => toolResults.map(({ text }) => text.trim()))).toEqual([
      "deep/poem.txt:2:it's long\ndeep/poem.txt:3:to the sea",
      "it's long",
      expect.stringMatching(/^error: grep: /),
    ])
    const whole = await play([turns([{ tools: [use('read_file', { path: 'big.txt' })] }, reports(done)])], {
      launch: { workspace: launch.workspace },
    })
    expect(answers(whole)[0]).toMatch(/^x{65536}\n\(cut at 64 KB/)
    const absolute = await play(
      [turns([{ tools: [use('read_file', { path: join(launch.workspace.path, 'deep/poem.txt') })] }, reports(done)])],
      { launch: { workspace: launch.workspace } },
    )
    expect(answers(absolute)[0]).toContain('a river')
  })
})

describe('the mode', () => {
  it('plan_only offers only reading tools', async () => {
    const played = await play([{ reply: reports(done) }], { launch: { mode: 'plan_only' } })
    expect(played.model.asked[0]?.toolNames).toEqual(['read_file', 'list_files', 'search_files', 'report'])
  })

  it('cautious denies irreversible commands until they are allowed', async () => {
    const command = 'cd . && rm -rf old'
    const script = [
      turns([{ tools: [use('run_command', { command })] }, reports({ ...done, status: 'partial', remaining: 'rm' })]),
    ]
    const asked = await play(script)
    expect(asked.ended.denied).toEqual([{ rule: `run_command(${command})`, what: `run_command: ${command}` }])
    expect(answers(asked)[0]).toMatch(/^error: not allowed without approval/)
    const allowed = await play(script, { launch: { allowed: [`run_command(${command})`] } })
    expect(allowed.ended.denied).toBeUndefined()
    expect(answers(allowed)[0]).toBe('exit code 0\n')
  })

  it('yolo falls back to cautious without a box, and reports it', async () => {
    const { runtime, launch } = await begin([{ reply: reports(done) }], { launch: { mode: 'yolo' } })
    const handle = await runtime.launch(launch)
    const events: RuntimeEvent[] = []
    for await (const event of handle.events) events.push(event)
    expect([handle.mode, textsOf(events)[0]]).toEqual(['cautious', 'yolo → cautious: no box is available here'])
  })
})

describe.skipIf(!boxHere.ok)(`in a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  it('runs its commands in the box without approval', async () => {
    // A command of less than a tenth of a second ends before its use is measured.
    const command = 'echo "boxed: $AGENCY_BOXED"; rm -rf x; sleep 1'
    const { runtime, launch, model } = await begin([
      turns([{ tools: [use('run_command', { command })] }, reports(done)]),
    ])
    const boxed = await makeLaunch({ options: launch.options, mode: 'yolo' }, await createTestBox())
    const handle = await runtime.launch(boxed)
    const events: RuntimeEvent[] = []
    for await (const event of handle.events) events.push(event)
    expect(handle).toMatchObject({ boxed: true, mode: 'yolo' })
    expect(model.asked[1]?.toolResults[0]?.text).toBe('exit code 0\nboxed: 1\n')
    expect(events.at(-1)).toMatchObject({ exitCode: 0, used: { processes: expect.any(Number) as number } })
  })
})

describe('a launch', () => {
  const runtime = createLlmRuntime({
    providers: { local: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' } },
    environment: { OPENAI_API_KEY: key },
  })

  it.each([
    [{}, /provider: is missing/, /--option provider=<anthropic\|openai\|ollama\|local> --option model=<name>/],
    [{ provider: 'openai' }, /model: is missing/, /--option model=<name>/],
    [{ provider: 'openai', model: 'm', speed: 3 }, /Unrecognized key/, /max_steps/],
    [{ provider: 'nobody', model: 'm' }, /unknown provider "nobody"/, /llm\.providers in config\.yaml/],
    [
      { provider: 'anthropic', model: 'm' },
      /has no key: ANTHROPIC_API_KEY was not set when the daemon started/,
      /^agency down; ANTHROPIC_API_KEY=… agency up$/,
    ],
    [{ provider: 'openai', model: 'm', max_steps: 0 }, /max_steps: /, /max_steps/],
  ])('with %j is rejected', (options, message, hint) => {
    expect(() => runtime.checkOptions(options)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(message) as string,
        hint: expect.stringMatching(hint) as string,
      }),
    )
  })

  it('uses the quota of its provider', () => {
    expect(runtime.providerOf?.({ provider: 'local', model: 'm' })).toBe('local')
    expect(runtime.providerOf?.({})).toBe('llm')
  })

  it('is available if one provider is usable', async () => {
    const available = (environment: Record<string, string>, providers = {}) =>
      createLlmRuntime({ providers, environment }).available()
    expect(await available({})).toMatchObject({
      ok: false,
      reason: expect.stringContaining('none of ANTHROPIC_API_KEY, OPENAI_API_KEY was set') as string,
      install: expect.stringContaining('ANTHROPIC_API_KEY=… agency up') as string,
    })
    expect(await available({ ANTHROPIC_API_KEY: key })).toEqual({ ok: true })
    expect(await available({}, { ollama: { kind: 'ollama', baseUrl: null } })).toEqual({ ok: true })
  })

  it('keeps keys out of every text', () => {
    expect(redact(`it is ${key}.`)).toBe('it is [redacted].')
  })

  it.each([
    ['its model', { text: `I know it: ${key}`, tools: [use('run_command', { command: `echo ${key}` })] }],
    ['its provider', { status: 400, error: { type: 'invalid_request_error', message: `what is ${key}?` } }],
    ['a rate limit', { status: 429, error: { type: 'rate_limit_error', message: `too much of ${key}` } }],
  ] as [string, Reply][])('redacts its key in the output of %s', async (_, reply) => {
    // `play` searches for the key in all events.
    const played = await play([turns([reply, reports(done)])])
    expect(JSON.stringify(played.events)).toContain('[redacted]')
    expect(answers(played).join()).not.toContain(key)
  })

  it('sends its key in the header of its provider', async () => {
    const { model } = await play([{ reply: reports(done) }])
    expect(model.asked[0]?.headers['x-api-key']).toBe(key)
    const { model: other } = await play([{ reply: reports(done) }], { kind: 'openai' })
    expect(other.asked[0]?.headers.authorization).toBe(`Bearer ${key}`)
  })
})
