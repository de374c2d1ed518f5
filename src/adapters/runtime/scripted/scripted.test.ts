// @suite process

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createVirtualClock } from '../../../../test/support/virtual-clock.ts'
import { createMemoryWorkspaces } from '../../../workspaces/memory.ts'
import { makeLaunch, readAll, textsOf } from '../contract-suite.ts'
import type { Launch, RuntimeEvent } from '../port.ts'
import { defaultScenario, fileNamedIn, filesInEvidence, objectiveOf } from './default.ts'
import type { AgencyCall } from './in-process.ts'
import { createScriptedRuntime, type ScriptedOptions } from './runtime.ts'

const hosts = ['process', 'in-process'] as const

async function play(
  host: ScriptedOptions['host'],
  scenario: unknown,
  more: Partial<Launch> = {},
): Promise<RuntimeEvent[]> {
  const launch = await makeLaunch({ options: scenario === undefined ? {} : { scenario }, ...more })
  const handle = await createScriptedRuntime({ host }).launch(launch)
  onTestFinished(() => handle.interrupt())
  return readAll(handle)
}

describe('a scenario', () => {
  const check = (scenario: unknown) => createScriptedRuntime({ host: 'in-process' }).checkOptions({ scenario })

  it.each([
    [
      { steps: [{ say: 'a' }, { wirte: { path: 'a', text: 'b' } }] },
      'scenario: steps[1]: unknown step "wirte"; known steps: say, write',
    ],
    [{ steps: [{ say: 'a', log: 'b' }] }, 'scenario: steps[0]: a step has exactly one key'],
    [{ steps: ['say'] }, 'scenario: steps[0]: not a step'],
    [{ steps: [{ write: { path: 'a' } }] }, 'scenario: steps[0].write.text: '],
    [{ attempts: [[{ wait: { ms: -1 } }]] }, 'scenario: attempts[0][0].wait.ms: '],
    [
      { steps: [{ with_token: { token: 'x', steps: [{ nope: 1 }] } }] },
      'scenario: steps[0].with_token.steps[0]: unknown step "nope"',
    ],
    [{ steps: [{ with_token: { steps: [] } }] }, 'scenario: steps[0].with_token: needs either path or token'],
    [{ steps: [], attempts: [[]] }, 'scenario: needs either steps or attempts'],
    [{ name: 'nothing' }, 'scenario: needs steps, attempts or phases'],
    [{ phases: { t4: {} } }, 'scenario: phases.t4: needs either steps or attempts'],
    [{ steps: [], colour: 'red' }, 'scenario: '],
    [{ steps: [{ constructor: {} }] }, 'scenario: steps[0]: unknown step "constructor"'],
    ['nobody', 'unknown scenario "nobody"'],
    ['constructor', 'unknown scenario "constructor"'],
    ['steps: [\n', 'scenario: '],
    ['{"steps": [', 'scenario: '],
    ['steps: [{say: one line}]', 'unknown scenario "steps: [{say: one line}]"'],
    [7, 'scenario: '],
    [null, 'scenario: '],
  ])('%j is rejected in one line', (scenario, message) => {
    expect(() => check(scenario)).toThrow(message)
    expect(() => check(scenario)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.not.stringContaining('\n') }),
    )
  })

  it('is the only option', () => {
    const { checkOptions } = createScriptedRuntime({ host: 'process' })
    expect(() => checkOptions({ scenaro: 'demo' })).toThrow('the scripted runtime has no option "scenaro"')
    expect(() => checkOptions({})).not.toThrow()
  })

  it.each([
    'steps:\n  - say: hello\n  - exit: {code: 4}\n',
    '{"steps": [{"say": "hello"}, {"exit": {"code": 4}}]}',
    { steps: [{ say: 'hello' }, { exit: { code: 4 } }] },
  ])('may be YAML, JSON or an object: %j', async (scenario) => {
    expect(await play('in-process', scenario)).toEqual([
      { kind: 'text', text: 'hello' },
      { kind: 'ended', exitCode: 4, signal: null },
    ])
  })

  it('may be one that is passed to the runtime', async () => {
    const scenarios = { mine: (prompt: string) => ({ attempts: [[{ say: `asked: ${prompt}` }]] }) }
    const launch = await makeLaunch({ options: { scenario: 'mine' }, prompt: 'why' })
    const handle = await createScriptedRuntime({ host: 'in-process', scenarios }).launch(launch)
    expect(textsOf(await readAll(handle))).toEqual(['asked: why'])
  })
})

describe.each(hosts)('in the %s host', (host) => {
  it('plays each attempt differently, and repeats the last one', async () => {
    const scenario = { attempts: [[{ say: 'first' }], [{ say: 'second' }]] }
    const said = []
    for (const attempt of [1, 2, 3]) said.push(textsOf(await play(host, scenario, { attempt })))
    expect(said).toEqual([['first'], ['second'], ['second']])
  })

  it('passes on reported tokens unchanged, even negative ones, for the engine to reject', async () => {
    const events = await play(host, { steps: [{ usage: { input_tokens: 10, output_tokens: -5 } }] })
    expect(events[0]).toEqual({ kind: 'usage', inputTokens: 10, outputTokens: -5 })
  })

  it('writes into the workspace, and runs commands there', async () => {
    const launch = await makeLaunch({
      options: { scenario: { steps: [{ write: { path: 'a/b.txt', text: 'b' } }, { run: 'cat a/b.txt; exit 2' }] } },
    })
    const events = await readAll(await createScriptedRuntime({ host }).launch(launch))
    expect(await launch.workspace.read('a/b.txt', 10)).toMatchObject({ text: 'b' })
    expect(events[0]).toEqual({ kind: 'tool', name: 'sh', summary: 'cat a/b.txt; exit 2' })
    expect(textsOf(events).join('')).toBe('bexit code 2')
  })

  it('reports that it is simulated, and writes the requested file without a scenario', async () => {
    const launch = await makeLaunch()
    const events = await readAll(await createScriptedRuntime({ host }).launch(launch))
    expect(textsOf(events)[0]).toContain('simulated')
    expect((await launch.workspace.read('poem.txt', 1_000))?.text.split('\n')).toHaveLength(4)
    expect(events.filter((event) => event.kind === 'usage')).toHaveLength(1)
    expect(events.at(-1)).toEqual({ kind: 'ended', exitCode: 0, signal: null })
  })
})

describe('the default scenario', () => {
  it.each([
    ['Write a haiku about rivers into poem.txt', 'poem.txt'],
    ['Write it into `docs/a-b/poem.v2.md`.', 'docs/a-b/poem.v2.md'],
    ['Fix the bug in src/main.ts, please', 'src/main.ts'],
    ['Summarise notes.md', 'notes.md'],
    ['See https://example.org/a.html and think', null],
    ['Write into ../../etc/passwd.txt', null],
    ['Write into /etc/passwd.conf', null],
    ['Be kind. Always.', null],
    ['Version 1.2 of it', null],
  ])('finds in %j the file %j', (objective, path) => {
    expect(fileNamedIn(objective)).toBe(path)
  })

  it('writes the files that the evidence asks for', () => {
    const prompt = (goal: string, ...evidence: string[]): string =>
      `# Your brief\n\n${goal}\n\n## Evidence\n\nAgency checks this evidence itself. Claims do not count.\n\n${evidence.join('\n')}\n\n## More\n\n- file other.txt`
    expect(filesInEvidence(prompt('Do it', '- file p.txt, at least 1 byte', '- $ npm test, exit code 0'))).toEqual([
      'p.txt',
    ])
    expect(filesInEvidence(prompt('Do it', '- file ../p.txt', '- file /etc/p.txt', '- git'))).toEqual([])
    const [steps = []] = defaultScenario(
      prompt('Write a poem into poem.txt', '- file p.txt', '- output docs/q'),
    ).attempts
    const written = steps.flatMap((step) => ('write' in step ? step.write.path : []))
    expect(written).toEqual(['poem.txt', 'p.txt', 'docs/q'])
  })

  it('reads only the first section of the prompt', () => {
    expect(objectiveOf('# Your brief\n\nWrite a poem\n\n## How to report\n\ninto report.json')).toBe('Write a poem')
    expect(objectiveOf('Write a poem')).toBe('Write a poem')
  })

  it('writes result.md if no file is named, and JSON into a JSON file', async () => {
    const launch = await makeLaunch({ prompt: '# Your brief\n\nThink about rivers\n' })
    await readAll(await createScriptedRuntime({ host: 'in-process' }).launch(launch))
    expect((await launch.workspace.read('result.md', 1_000))?.text).toContain('Think about rivers')
    const other = { ...launch, prompt: 'Put facts into facts.json' }
    await readAll(await createScriptedRuntime({ host: 'in-process' }).launch(other))
    const facts = (await launch.workspace.read('facts.json', 1_000))?.text ?? ''
    expect(JSON.parse(facts)).toEqual({ subject: 'Put facts into facts.json', simulated: true })
  })
})

describe('the in-process host', () => {
  it('waits on the given clock, and can be interrupted meanwhile', async () => {
    const clock = createVirtualClock()
    const runtime = createScriptedRuntime({ host: 'in-process', clock })
    const launch = await makeLaunch({ options: { scenario: { steps: [{ wait: { ms: 60_000 } }, { say: 'late' }] } } })
    const waiting = await runtime.launch(launch)
    const cut = await runtime.launch(launch)
    await cut.interrupt()
    clock.advance(60_000)
    expect(textsOf(await readAll(waiting))).toEqual(['late'])
    expect(await readAll(cut)).toEqual([{ kind: 'ended', exitCode: null, signal: 'SIGTERM' }])
  })

  it('needs no disk', async () => {
    const workspace = await createMemoryWorkspaces().prepare({ id: 'brf_1', runId: 'run_1' })
    const events = await play('in-process', undefined, { workspace })
    expect(events.find((event) => event.kind === 'report')).toEqual({
      kind: 'report',
      report: { status: 'done', summary: 'Wrote poem.txt (simulated).', outputs: ['poem.txt'] },
    })
    expect(await workspace.read('poem.txt', 100)).not.toBeNull()
  })

  it('ends with exit code 1 and the reason if its scenario cannot be played', async () => {
    expect(await play('in-process', { steps: [{ write: { path: '../out', text: '' } }] })).toEqual([
      { kind: 'ended', exitCode: 1, signal: null, detail: '"../out" leads outside the workspace' },
    ])
  })

  it('calls the API if it has one, and reports refusals', async () => {
    const asked: unknown[] = []
    const call: AgencyCall = async (request) => {
      asked.push(request)
      return { status: request.environment['AGENCY_TOKEN'] === 'good' ? 200 : 409, body: { code: 'stale_fence' } }
    }
    const steps = [{ log: 'hello' }, { with_token: { token: 'old', steps: [{ report: { summary: 'late' } }] } }]
    const launch = await makeLaunch({ options: { scenario: { steps } }, environment: { AGENCY_TOKEN: 'good' } })
    const events = await readAll(await createScriptedRuntime({ host: 'in-process', call }).launch(launch))
    expect(asked).toMatchObject([
      { path: '/api/events', body: { kind: 'log', message: 'hello' } },
      { path: '/api/attempt/report', body: { status: 'done', summary: 'late', outputs: [] } },
    ])
    expect(textsOf(events)).toEqual(['refused: 409 {"code":"stale_fence"}'])
  })
})

describe('the process host', () => {
  it('calls HTTP over the socket with its token, and reports refusals', async () => {
    const { requests, environment } = await listen()
    const steps = [{ log: 'hello' }, { report: { summary: 'It is done.', outputs: ['a.txt'] } }, { log: 'refuse me' }]
    const events = await play('process', { steps }, { environment })
    expect(requests).toEqual([
      { path: 'POST /api/events', token: 'Bearer agt_good', body: { kind: 'log', message: 'hello' } },
      {
        path: 'POST /api/attempt/report',
        token: 'Bearer agt_good',
        body: { status: 'done', summary: 'It is done.', outputs: ['a.txt'] },
      },
      { path: 'POST /api/events', token: 'Bearer agt_good', body: { kind: 'log', message: 'refuse me' } },
    ])
    expect(textsOf(events)).toEqual(['refused: 409 {"code":"stale_fence"}'])
  })

  it('uses a token that it kept', async () => {
    const { requests, environment } = await listen()
    const attempts = [
      [{ keep_token: { path: 'kept' } }],
      [{ with_token: { path: 'kept', steps: [{ log: 'late' }] } }, { log: 'in time' }],
    ]
    const launch = await makeLaunch({ options: { scenario: { attempts } }, environment })
    const runtime = createScriptedRuntime({ host: 'process' })
    await readAll(await runtime.launch(launch))
    const second = { ...launch, attempt: 2, environment: { ...environment, AGENCY_TOKEN: 'agt_second' } }
    await readAll(await runtime.launch(second))
    expect(requests.map(({ token }) => token)).toEqual(['Bearer agt_good', 'Bearer agt_second'])
  })

  it('reports through the command line like any agent', async () => {
    const { requests, environment } = await listen()
    const steps = [{ report: { summary: '--tricky "one"', outputs: ['a.txt', 'b c.txt'], via: 'cli' } }]
    const events = await play('process', { steps }, { environment })
    expect(textsOf(events)).toEqual([])
    expect(requests).toEqual([
      {
        path: 'POST /api/attempt/report',
        token: 'Bearer agt_good',
        body: { status: 'done', summary: '--tricky "one"', outputs: ['a.txt', 'b c.txt'] },
      },
    ])
  })

  it('calls tools over MCP like any agent, and prints their answers', async () => {
    const { requests, environment } = await listen()
    const steps = [
      { tool: { name: 'log', input: { kind: 'log', message: 'hello' } } },
      { tool: { name: 'no_such_tool' } },
      { report: { summary: 'By MCP.', outputs: ['a.txt'], via: 'mcp' } },
    ]
    const events = await play('process', { steps }, { environment })
    expect(requests.map(({ path }) => path)).toEqual(['POST /api/events', 'POST /api/attempt/report'])
    expect(requests[1]).toMatchObject({
      token: 'Bearer agt_good',
      body: { status: 'done', summary: 'By MCP.', outputs: ['a.txt'] },
    })
    expect(events.slice(0, 1)).toEqual([{ kind: 'tool', name: 'log', summary: '{"kind":"log","message":"hello"}' }])
    expect(textsOf(events)).toEqual([
      expect.stringContaining('accepted'),
      expect.stringContaining('refused: '),
      expect.stringContaining('accepted'),
    ])
  })

  it('posts a raw report unchanged, also one that is not an object', async () => {
    const { requests, environment } = await listen()
    const bodies = ['done!', ['done'], 7, { status: 'done', more: null }]
    await play('process', { steps: bodies.map((body) => ({ raw_report: { body } })) }, { environment })
    expect(requests.map(({ body }) => body)).toEqual(bodies)
  })

  it('stores the scenario in a readable file', async () => {
    const launch = await makeLaunch({ options: { scenario: { steps: [{ say: 'x' }] } } })
    await readAll(await createScriptedRuntime({ host: 'process' }).launch(launch))
    const kept = await readFile(join(launch.workspace.path, '.agency/scenario.json'), 'utf8')
    expect(JSON.parse(kept)).toEqual({ attempts: [[{ say: 'x' }]] })
  })
})

interface Asked {
  path: string
  token: string | undefined
  body: unknown
}

/** Serves a daemon's socket as an agent sees it; rejects a message "refuse me". */
async function listen() {
  const { workspace } = await makeLaunch()
  const socket = join(workspace.path, 's')
  const requests: Asked[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string }
      requests.push({ path: `${request.method} ${request.url}`, token: request.headers.authorization, body })
      const refused = body.message === 'refuse me'
      response.writeHead(refused ? 409 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(refused ? { code: 'stale_fence' } : { accepted: true, note: 'ok' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  return { requests, environment: { AGENCY_SOCKET: socket, AGENCY_TOKEN: 'agt_good' } }
}

describe.each(hosts)('an agent in the host "%s"', (host) => {
  it('reports the usage of each model call', async () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 2,
      cache_read_tokens: 4,
      model: 'some-model',
      provider: 'somebody',
    }
    const events = await play(host, { steps: [{ usage }, { usage: { input_tokens: 1, output_tokens: 0 } }] })
    expect(events.filter((event) => event.kind === 'usage')).toEqual([
      {
        kind: 'usage',
        inputTokens: 10,
        outputTokens: 2,
        cacheReadTokens: 4,
        model: 'some-model',
        provider: 'somebody',
      },
      { kind: 'usage', inputTokens: 1, outputTokens: 0 },
    ])
  })

  it('ends when its provider rejects calls, and reports until when', async () => {
    const events = await play(host, { steps: [{ quota: { seconds: 90, reason: 'too many' } }, { say: 'never' }] })
    expect(textsOf(events)).not.toContain('never')
    expect(events.at(-1)).toMatchObject({ kind: 'ended', exitCode: 1, limited: { seconds: 90, reason: 'too many' } })
  })
})
