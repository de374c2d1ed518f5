// @suite process

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, type Socket } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { boxHere, createTestBox } from '../../../test/support/box.ts'
import { findSurvivors } from '../../processes/survivors.ts'
import { createDirectoryWorkspaces } from '../directory.ts'
import { startInWorkspace } from '../process.ts'
import { defaultPolicy, type PolicyOverrides } from '../policy.ts'
import type { ProcessSpec, Workspace } from '../port.ts'
import { boxArguments } from './arguments.ts'
import type { BoxParts } from './box.ts'
import { detectBox } from './detect.ts'

let base: string

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'agency-boxed-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
})

interface BoxOptions extends PolicyOverrides {
  readonly parts?: Partial<BoxParts>
  readonly readable?: readonly string[]
}

async function prepare({ parts = {}, readable = [], ...overrides }: BoxOptions = {}): Promise<Workspace> {
  const workspaces = createDirectoryWorkspaces({ root: join(base, 'workspaces'), box: await createTestBox(parts) })
  return workspaces.prepare({ id: 'brf_1', runId: 'run_1', box: true, readable, policy: defaultPolicy('', overrides) })
}

const environment = { PATH: process.env['PATH'] ?? '', AGENCY_LAUNCH_ID: `att_box_${process.pid}` }

async function run(workspace: Workspace, script: string, spec: Partial<ProcessSpec> = {}) {
  const command = ['/bin/sh', '-c', `exec 2>&1\n${script}`] as const
  const inside = await startInWorkspace(workspace, { command, environment, ...spec }, ['ignore', 'pipe', 'ignore'])
  let output = ''
  inside.child.stdout?.on('data', (chunk) => (output += String(chunk)))
  const closed = once(inside.child, 'close')
  const exit = await inside.exited
  await closed
  return { ...exit, ...(await inside.leave()), output }
}

const node = (code: string): string => `'${process.execPath}' -e '${code}'`

async function greeter(): Promise<number> {
  const server = createHttpServer((_, answer) => answer.end('hello from outside'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const ask = (port: number): string =>
  node(
    `require("http").get("http://127.0.0.1:${port}/", (a) => a.pipe(process.stdout)).on("error", (e) => console.log(e.code))`,
  )

describe.skipIf(!boxHere.ok)(`a box${boxHere.ok ? '' : ` (${boxHere.reason})`}`, () => {
  it('runs an agent as an ordinary user with a home, a workspace and a temporary directory', async () => {
    const workspace = await prepare()
    const { output } = await run(
      workspace,
      'id -u; whoami; pwd; echo $HOME $TMPDIR; touch ~/a /tmp/b c && echo made; hostname',
    )
    expect(output).toBe(`1000\nagent\n${workspace.path}\n${workspace.home} /tmp\nmade\nlocalhost\n`)
    expect(await readdir(workspace.home)).toEqual(['a'])
    expect((await readdir(workspace.path)).sort()).toEqual(['.agency', 'c'])
  })

  it('connects to a forwarded server by its port, and to no other', async () => {
    const [named, other] = [await greeter(), await greeter()]
    const workspace = await prepare({ network: { allowed: false } })
    const { output } = await run(workspace, `${ask(named)}; echo; ${ask(other)}`, { forwards: [{ port: named }] })
    expect(output).toBe('hello from outside\nECONNREFUSED\n')
    const elsewhere = await run(workspace, ask(8_080), { forwards: [{ port: 8_080, host: `127.0.0.1:${named}` }] })
    expect(elsewhere.output).toBe('hello from outside')
  })

  it('names a port that it cannot open', async () => {
    const forwards = [{ port: 80, host: '127.0.0.1:8080' }]
    await expect(run(await prepare(), 'true', { forwards })).rejects.toThrow('the box cannot open port 80: EACCES')
  })

  it('shows the daemon’s socket at AGENCY_SOCKET, and hides the home of the installation', async () => {
    const socket = join(base, 'd.sock')
    const connect = (token: string) => (each: Socket) => void each.on('error', () => {}).end(`the daemon for ${token}`)
    const workspace = await prepare({ parts: { connect, closed: [base] } })
    const { output } = await run(
      workspace,
      `echo $AGENCY_SOCKET [$AGENCY_HOME]; ls ${socket}; ${node('require("net").connect(process.env.AGENCY_SOCKET).pipe(process.stdout)')}`,
      { environment: { ...environment, AGENCY_HOME: base, AGENCY_SOCKET: socket, AGENCY_TOKEN: 'agt_1' } },
    )
    expect(output).toMatch(/^\/run\/agency\/agency.sock \[\]\nls: cannot access .*\nthe daemon for agt_1$/)
  })

  it('answers 403 for a blocked host; has no proxy without a network', async () => {
    const refused: string[] = []
    const parts = { refused: (host: string, why: string) => void refused.push(`${host}: ${why}`) }
    const workspace = await prepare({ parts, network: { block: ['example.org'] } })
    const get = `const { port } = new URL(process.env.HTTP_PROXY); require("http").get({ host: "127.0.0.1", port, path: "http://www.example.org/" }, (a) => { console.log(a.statusCode); a.pipe(process.stdout) })`
    expect((await run(workspace, node(get))).output).toBe(
      '403\nagency: the box cannot connect to www.example.org: blocked by "example.org"\n',
    )
    const fetching = 'fetch("https://example.org/").catch((error) => console.log(error.cause.cause.message))'
    expect((await run(workspace, node(fetching))).output).toContain('403')
    expect(refused).toEqual(['www.example.org', 'example.org'].map((host) => `${host}: blocked by "example.org"`))
    const alone = await prepare({ network: { allowed: false } })
    expect((await run(alone, 'echo [$HTTP_PROXY] [$https_proxy]; ls /run/agency')).output).toBe('[] []\n')
  })

  it('delivers a signal to the command and its children, and lets it clean up', async () => {
    const workspace = await prepare()
    const command = ['/bin/sh', '-c', 'trap "echo bye > bye; exit 7" TERM; echo ready; sleep 60 & wait'] as const
    const inside = await startInWorkspace(workspace, { command, environment }, ['ignore', 'pipe', 'ignore'])
    await once(inside.child.stdout as NodeJS.ReadableStream, 'data')
    inside.signal('SIGTERM')
    expect(await inside.exited).toEqual({ exitCode: 7, signal: null })
    await inside.leave()
    expect(await workspace.read('bye', 10)).toMatchObject({ text: 'bye\n' })
  })

  it('reports the same error as without a box if a program could not be started', async () => {
    const workspace = await prepare()
    const start = (program: string) =>
      startInWorkspace(workspace, { command: [program], environment }, ['ignore', 'ignore', 'ignore'])
    await expect(start('no-such-program-here')).rejects.toMatchObject({ code: 'ENOENT' })
    await workspace.write('plain', 'x')
    await chmod(join(workspace.path, 'plain'), 0o600)
    await expect(start('./plain')).rejects.toMatchObject({ code: 'EACCES' })
  })

  it('starts an offline command without sockets', async () => {
    const workspace = await prepare()
    expect(await run(workspace, 'ls /run; exit 5', { offline: true })).toMatchObject({
      exitCode: 5,
      output: 'bin\ninit\n',
    })
  })

  it('shows readable paths, and refuses paths that would expose closed directories', async () => {
    await mkdir(join(base, 'tools'))
    await writeFile(join(base, 'tools', 'a'), 'tool')
    const workspace = await prepare({ readable: [join(base, 'tools')] })
    const script = `cat ${base}/tools/a; touch ${base}/tools/b`
    expect((await run(workspace, script)).output).toMatch(/^tooltouch: .*Read-only file system\n$/)
    const parts = { closed: [join(base, 'agency')] }
    for (const path of ['/', '/etc', '/proc', '/run', homedir(), base, join(base, 'missing')])
      await expect(run(await prepare({ parts, readable: [path] }), 'true'), path).rejects.toMatchObject({
        code: 'invalid_input',
      })
  })

  it('shows a program and none of its arguments, and names those that it hides', async () => {
    const [program, argument] = [join(base, 'program'), join(base, 'argument')]
    await writeFile(program, '#!/bin/sh\ncat "$1"\n', { mode: 0o755 })
    await writeFile(argument, 'secret')
    const started = async (readable: string[]) => {
      const spec = { command: [program, argument, '/usr/bin/env', base.slice(1)] as const, environment }
      const inside = await startInWorkspace(await prepare({ readable }), spec, ['ignore', 'ignore', 'ignore'])
      const { exitCode } = await inside.exited
      await inside.leave()
      return { exitCode, hidden: inside.hidden }
    }
    expect(await started([])).toEqual({ exitCode: 1, hidden: [argument] })
    expect(await started([argument])).toEqual({ exitCode: 0, hidden: [] })
  })

  it('reports the resource use', async () => {
    const workspace = await prepare()
    const { used, breach } = await run(
      workspace,
      'head -c 3000000 /dev/urandom > big; sleep 1 & sleep 1 & sleep 1; wait',
    )
    expect(breach).toBeNull()
    expect(used?.processes).toBeGreaterThanOrEqual(3)
    expect(used?.memoryMb).toBeGreaterThan(0)
    expect(used?.diskMb).toBeGreaterThanOrEqual(3)
  })

  it('names the limit for which it killed a command', async () => {
    const workspace = await prepare({ limits: { maxProcesses: 10 } })
    const forking = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 60 & done; wait'
    const result = await workspace.run(forking, { timeoutMs: 50_000, maxOutputBytes: 1_000 })
    expect(result.breach).toMatch(/^limit_exceeded: processes \(\d+ of 10\)$/)
    expect(result).toMatchObject({ timedOut: false, signal: 'SIGKILL' })
  })

  it('leaves no process and no socket directory behind', async () => {
    const directory = join(base, 'boxes')
    const workspace = await prepare({ parts: { directory } })
    await run(workspace, 'setsid sleep 1000 & env -i setsid sleep 1000 & true')
    expect(await readdir(directory)).toEqual(['etc'])
    const launchId = environment.AGENCY_LAUNCH_ID
    await vi.waitUntil(async () => (await findSurvivors()).every((each) => each.launchId !== launchId), {
      timeout: 15_000,
    })
  })

  it('ends when the process that created it is killed', async () => {
    const workspace = await prepare()
    const [inside, box, policy] = ['../process.ts', './box.ts', '../policy.ts'].map((path) =>
      fileURLToPath(new URL(path, import.meta.url)),
    )
    const launchId = `att_orphan_${process.pid}`
    const code = `const [{ startInWorkspace }, { createBox }, { defaultPolicy }] = await Promise.all([${JSON.stringify([inside, box, policy])}.map((path) => import(path))].flat())
      const made = await createBox({ program: ${JSON.stringify(boxHere.ok ? boxHere.program : '')}, directory: ${JSON.stringify(join(base, 'b'))}, connect: null, closed: [], clock: { nowMs: () => 0, at: () => '', after: () => () => {} } })
      const enter = made.enter({ path: ${JSON.stringify(workspace.path)}, home: ${JSON.stringify(workspace.home)}, policy: defaultPolicy('') })
      await startInWorkspace({ enter }, { command: ['sleep', '1000'], environment: { PATH: process.env.PATH, AGENCY_LAUNCH_ID: ${JSON.stringify(launchId)} } }, ['ignore', 'ignore', 'ignore'])
      console.log('ready')`
    const daemon = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(daemon.stdout, 'data')
    const left = async () => (await findSurvivors()).filter((each) => each.launchId === launchId).length
    expect(await left()).toBeGreaterThanOrEqual(3)
    daemon.kill('SIGKILL')
    await vi.waitUntil(async () => (await left()) === 0, { timeout: 15_000 })
  })

  it('detects that user namespaces are forbidden, and names the remedy', async () => {
    const workspace = await prepare()
    const detect = fileURLToPath(new URL('./detect.ts', import.meta.url))
    const code = `import(${JSON.stringify(detect)}).then(async (m) => console.log(JSON.stringify(await m.detectBox({ directory: "/tmp/try" }))))`
    const { output } = await run(workspace, node(code))
    expect(JSON.parse(output)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('user namespaces are forbidden here'),
      install: expect.stringMatching(/\.$/),
    })
  })
})

const plain = ['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--ro-bind', '/', '/']
const doesBubblewrapWork = spawnSync('bwrap', [...plain, 'true']).status === 0

// All other tests of boxes are skipped where none is found.
it.skipIf(!doesBubblewrapWork)('is found wherever bubblewrap works', () => {
  expect(boxHere).toMatchObject({ ok: true })
})

it('detects that bubblewrap is missing, and names the package to install', async () => {
  expect(await detectBox({ path: base, directory: base })).toEqual({
    ok: false,
    reason: 'bubblewrap is not installed',
    install: 'Run "apt install bubblewrap".',
  })
})

it('detects that bubblewrap is too old', async () => {
  await writeFile(join(base, 'bwrap'), '#!/bin/sh\necho "bwrap: Unknown option --disable-userns" >&2\nexit 1\n', {
    mode: 0o755,
  })
  expect(await detectBox({ path: base, directory: base })).toMatchObject({
    ok: false,
    install: 'Install bubblewrap 0.8 or newer.',
  })
})

it('mounts Node after the directories of the box itself, in case it is installed below one of them', () => {
  const layout = { path: '/w', home: '/h', readable: [], limits: defaultPolicy('').limits, sockets: null }
  const args = boxArguments(layout, { system: ['--ro-bind', '/tmp/node', '/tmp/node'], etcFiles: '/f', closed: [] })
  for (const own of ['/tmp', '/run', '/dev/shm', '/dev', '/proc'])
    expect(args.indexOf('/tmp/node')).toBeGreaterThan(args.indexOf(own))
})
