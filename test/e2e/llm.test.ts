import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { createTestCli, type TestCli } from '../support/cli.ts'
import { type Asked, promptHas, rateLimited, type Reply, type Rule, turns } from '../support/model-server/script.ts'
import { type ModelServer, startModelServer } from '../support/model-server/server.ts'

const key = 'dummy-key-that-nobody-may-see'

/** Creates an installation with one model; its key is only in the daemon's environment. */
async function install(rules: readonly Rule[]): Promise<{ cli: TestCli; model: ModelServer }> {
  const model = await startModelServer(rules)
  const cli = createTestCli()
  onTestFinished(async () => {
    await cli.remove()
    await model.stop()
  })
  const providers = ['openai', 'anthropic', 'openai-compatible'].map(
    (kind) => `    ${kind}-local: { kind: ${kind}, base_url: "${model.url}/v1", api_key_env: LOCAL_KEY }\n`,
  )
  writeFileSync(join(cli.home, 'config.yaml'), `llm:\n  providers:\n${providers.join('')}`)
  const up = await cli.start(['up'], { LOCAL_KEY: key }).ended
  expect(up).toMatchObject({ code: 0 })
  return { cli, model }
}

const options = (provider: string) => [
  '--runtime',
  'llm',
  '--option',
  `provider=${provider}`,
  '--option',
  'model=some-model',
]

const wrong = { status: 'finished', summary: 'x' }
const poem: Reply[] = [
  { text: 'I look at my brief.', tools: [{ name: 'brief', input: {} }] },
  { tools: [{ name: 'log', input: { message: 'half way' } }] },
  { tools: [{ name: 'run_command', input: { command: 'printf "Rivers\\n" > poem.txt' } }] },
  { tools: [{ name: 'report', input: wrong }] },
  { tools: [{ name: 'report', input: { status: 'done', summary: 'Wrote it.', outputs: ['poem.txt'] } }] },
]

const note: Reply[] = [
  { tools: [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }] },
  { tools: [{ name: 'report', input: { status: 'done', summary: 'Wrote it.', outputs: ['a.txt'] } }] },
]

interface Shown {
  readonly run: { readonly status: string }
  readonly briefs: readonly object[]
  readonly attempts: readonly object[]
  readonly evidence: readonly object[]
  readonly spends: readonly object[]
  readonly events: readonly { readonly kind: string }[]
}

it.each(['openai-local', 'anthropic-local', 'openai-compatible-local'])(
  'a model completes a brief through %s',
  async (provider) => {
    const { cli, model } = await install([turns(poem)])
    const goal = 'Write a haiku about rivers into poem.txt'
    const ended = await cli.run('run', goal, ...options(provider), '--evidence', 'file:poem.txt', '--watch')
    expect(ended).toMatchObject({ code: 0 })
    const shown = await cli.json<Shown>('inspect', ended.out.trim(), '--plain')
    expect(shown).toMatchObject({
      run: { status: 'done', simulated: false, input_tokens: 500, output_tokens: 100 },
      attempts: [{ runtime: 'llm', outcome: 'ok', pid: null, report: { summary: 'Wrote it.' } }],
      evidence: [{ kind: 'file', passed: true }],
      spends: [{ model: 'some-model', provider, calls: 5 }],
    })
    expect(shown.events.map(({ kind }) => kind)).toContain('log')
    expect(JSON.parse(model.asked[1]?.toolResults[0]?.text ?? '')).toMatchObject({ objective: goal, attempt: 1 })
    expect(model.asked[0]?.prompt).toContain(goal)
    const headers = model.asked[0]?.headers
    expect(headers?.['x-api-key'] ?? headers?.authorization).toContain(key)
    expect(filesWith(cli.home, key)).toEqual([])
  },
)

it('waits for a provider that limits calls, while other providers work', async () => {
  const { cli, model } = await install([{ when: promptHas('limited'), times: 1, reply: rateLimited(1) }, turns(note)])
  const evidence = ['--evidence', 'file:a.txt']
  const limited = await cli.run('run', 'limited', ...options('anthropic-local'), ...evidence, '--watch')
  expect(limited.code).toBe(0)
  const shown = await cli.json<Shown>('inspect', limited.out.trim(), '--plain')
  expect(shown.attempts).toMatchObject([
    { outcome: 'interrupted', detail: expect.stringContaining('its provider takes no more calls') as string },
    { outcome: 'ok' },
  ])
  expect(shown.briefs).toMatchObject([{ provider: 'anthropic-local', status: 'done' }])
  expect(model.asked.filter(promptHas('limited')).length).toBe(3)
})

it('is stopped by a limit after the call that exceeds it, and refused if it could never start', async () => {
  const again = ({ step }: Asked): Reply => ({
    tools: [{ name: 'list_files', input: { recursive: step % 2 === 0 } }],
    tokens: { input: 600, output: 100 },
  })
  const { cli, model } = await install([{ reply: again }])
  const run = await cli.run('run', 'Never stop', ...options('openai-local'), '--tokens', '1000', '--on-limit', 'fail')
  expect(run.code).toBe(0)
  await expect
    .poll(async () => (await cli.json<Shown>('inspect', run.out.trim(), '--plain')).attempts)
    .toMatchObject([{ outcome: 'budget' }])
  expect(model.asked.length).toBeLessThanOrEqual(3)
  expect(await cli.run('run', 'x', '--runtime', 'llm', '--option', 'provider=openai-local')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/model: is missing\n.*--option model=<name>/) as string,
  })
  expect(await cli.run('run', 'x', ...options('openai'))).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /OPENAI_API_KEY was not set when the daemon started\n.*agency down; OPENAI_API_KEY=… agency up/,
    ) as string,
  })
})

it('starts again after its daemon was killed or stopped, and leaves no command behind', async () => {
  const sleeps = 'echo $$ > pid; exec sleep 1000'
  const { cli, model } = await install([{ reply: { tools: [{ name: 'run_command', input: { command: sleeps } }] } }])
  const id = (await cli.text('run', 'Sleep', ...options('anthropic-local'), '--evidence', 'file:a.txt')).trim()
  const beginsToSleep = async (calls: number): Promise<void> => {
    await expect.poll(() => [model.asked.length, sleepersOf(cli.home).length]).toEqual([calls, 1])
  }
  await beginsToSleep(1)
  const [first] = sleepersOf(cli.home)
  process.kill(Number(JSON.parse(readFileSync(join(cli.home, 'daemon.json'), 'utf8')).pid), 'SIGKILL')
  expect((await cli.start(['up'], { LOCAL_KEY: key }).ended).code).toBe(0)
  await beginsToSleep(2)
  expect(sleepersOf(cli.home)).not.toEqual([first])
  expect((await cli.run('down')).code).toBe(0)
  expect(sleepersOf(cli.home)).toEqual([])
  model.play([turns(note)])
  expect((await cli.start(['up'], { LOCAL_KEY: key }).ended).code).toBe(0)
  expect((await cli.run('watch', id)).code).toBe(0)
  expect((await cli.json<Shown>('inspect', id, '--plain')).attempts).toMatchObject([
    { outcome: 'interrupted' },
    { outcome: 'interrupted' },
    { outcome: 'ok' },
  ])
})

/** Finds processes that sleep in a directory below this one, or in a box that contains it. */
const sleepersOf = (home: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\0') &&
          readlinkSync(`/proc/${pid}/cwd`).startsWith(join(home, 'workspaces'))
        )
      } catch {
        return false
      }
    })

const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
