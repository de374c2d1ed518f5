// @suite process

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { freshFolder } from '../../../test/support/store.ts'
import { aBrief } from '../../../test/support/work.ts'
import { findSurvivors } from '../../processes/survivors.ts'
import { systemClock } from '../../kernel/clock.ts'
import { Evidence } from '../../work/evidence/contract.ts'
import { createDirectoryWorkspaces } from '../../workspaces/directory.ts'
import type { Workspace } from '../../workspaces/port.ts'
import type { Finding } from '../../work/evidence/record.ts'
import { checkEvidence } from './check.ts'

let workspace: Workspace
const launchId = `att_http_${process.pid}`

beforeEach(async () => {
  const root = freshFolder()
  workspace = await createDirectoryWorkspaces({ root }).prepare({ ...aBrief(), attemptId: launchId })
})

const inside = (path: string): string => join(workspace.path, path)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const node = `'${process.execPath}'`

/** Starts a server that answers every request with this text. */
function serve(answer: string, more = ''): string {
  writeFileSync(
    inside('server.mjs'),
    `import { createServer } from 'node:http'
const port = Number(process.argv[2] ?? process.env.PORT)
createServer((request, response) => { ${answer} }).listen(port, '127.0.0.1')
console.log('listening on ' + port)
${more}`,
  )
  return `${node} server.mjs {port}`
}

const hello = `response.end('hello ' + request.url)`

async function looked(
  evidence: object,
  ourPorts: readonly number[] = [],
  mayRunCommands = true,
  place: Workspace = workspace,
): Promise<Finding> {
  const parsed = Evidence.parse({ kind: 'http', url: 'http://127.0.0.1:{port}/health?deep=1', ...evidence })
  const { findings } = await checkEvidence({
    evidence: [parsed],
    outputs: [],
    files: place,
    workspace: place,
    clock: systemClock,
    mayRunCommands,
    ourPorts,
  })
  return findings[0] as Finding
}

const left = async (): Promise<number> => (await findSurvivors()).filter((each) => each.launchId === launchId).length

describe('a server', () => {
  it('passes by its response, whose hash and beginning are stored', async () => {
    expect(await looked({ start: serve(hello) })).toMatchObject({
      kind: 'http',
      passed: true,
      detail: 'answered 200, 20 bytes',
      output: 'hello /health?deep=1',
      sha256: sha256('hello /health?deep=1'),
      boxed: false,
    })
    expect(await left()).toBe(0)
  })

  it('is reached through $PORT, localhost and ::1', async () => {
    serve(hello)
    const start = `${node} server.mjs`
    expect(await looked({ start, url: 'http://localhost:{port}' })).toMatchObject({ passed: true, output: 'hello /' })
    writeFileSync(
      inside('server.mjs'),
      `import { createServer } from 'node:http'
createServer((_, response) => response.end('six')).listen(Number(process.env.PORT), '::1')`,
    )
    expect(await looked({ start, url: 'http://[::1]:{port}/' })).toMatchObject({ passed: true, output: 'six' })
  })

  it('sees an ordinary client, and nothing that names Agency', async () => {
    const start = serve(`response.end(JSON.stringify({
      headers: request.rawHeaders,
      names: Object.keys(process.env),
      parent: readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8'),
    }))`)
    const server = inside('server.mjs')
    writeFileSync(server, `import { readFileSync } from 'node:fs'\n${readFileSync(server, 'utf8')}`)
    const { output } = await looked({ start })
    const { headers, names, parent } = JSON.parse(output) as Record<string, string[]>
    expect(headers).toEqual([
      'Host',
      expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      'User-Agent',
      'curl/8.5.0',
      'Accept',
      '*/*',
    ])
    expect(names?.filter((name) => /agency/i.test(name))).toEqual([])
    expect(parent).not.toMatch(/probe|agency/i)
  })

  it('passes only with the expected status, text and JSON', async () => {
    const start = serve(`response.statusCode = 201
      response.end(JSON.stringify({ ok: true, items: [{ id: 1, name: 'a' }], more: null }))`)
    const expected = async (expect: object) => {
      const { passed, detail } = await looked({ start, expect })
      return passed || detail
    }
    expect(await expected({})).toBe('answered 201, expected 200')
    expect(await expected({ status: 201, contains: '"ok":true', json: { ok: true } })).toBe(true)
    expect(await expected({ status: 201, json: { items: [{ name: 'a' }], more: null } })).toBe(true)
    expect(await expected({ status: 201, contains: 'river' })).toBe('its answer does not contain "river"')
    expect(await expected({ status: 201, json: { items: [{ name: 'b' }] } })).toBe(
      'its answer says something else at $.items[0].name',
    )
  })

  it('fails an expectation of JSON if its response is not JSON', async () => {
    expect(await looked({ start: serve(hello), expect: { json: {} } })).toMatchObject({
      passed: false,
      detail: 'its answer is not JSON',
    })
  })

  it('may need time to start', async () => {
    const start = serve(
      `response.statusCode = globalThis.asked++ < 2 ? 503 : 200; response.end('warm')`,
      'globalThis.asked = 0',
    )
    expect(await looked({ start })).toMatchObject({ passed: true, output: 'warm' })
  })

  it('that ends at once is not waited for; its output is stored', async () => {
    const began = systemClock.nowMs()
    expect(await looked({ start: 'echo no module; exit 3', timeoutSeconds: 60 })).toMatchObject({
      passed: false,
      detail: 'the server ended with exit code 3',
      output: 'no module\n',
    })
    expect(await looked({ start: 'true', timeoutSeconds: 60 })).toMatchObject({
      passed: false,
      detail: 'the server ended with exit code 0',
    })
    expect(systemClock.nowMs() - began).toBeLessThan(30_000)
  })

  it('that never listens or never responds fails at the timeout', async () => {
    expect(await looked({ start: 'sleep 1000', timeoutSeconds: 0.5 })).toMatchObject({
      passed: false,
      detail: 'no answer within 0.5 s',
    })
    expect(await looked({ start: serve(''), timeoutSeconds: 1 })).toMatchObject({ passed: false })
    expect(await left()).toBe(0)
  })

  it('with an endless response fails', async () => {
    const start = serve(`setInterval(() => response.write('x'.repeat(1e6)), 1)`)
    expect(await looked({ start })).toMatchObject({ passed: false, detail: 'the response is larger than 16 MB' })
  })

  it('is stopped with all its processes, including those that left its group or ignore the signal', async () => {
    const start = `setsid sleep 1000 & trap '' TERM; ${serve(hello)} & sleep 1000; sleep 1000`
    expect(await looked({ start })).toMatchObject({ passed: true })
    expect(await left()).toBe(0)
  })

  it('may move itself to the background', async () => {
    expect(await looked({ start: `setsid ${serve(hello)} >log 2>&1 &` })).toMatchObject({ passed: true })
    expect(await left()).toBe(0)
  })

  it('is not followed to the target of a redirect', async () => {
    const port = await strangerPort()
    const start = serve(`response.writeHead(302, { location: 'http://127.0.0.1:${port}/' }); response.end()`)
    expect(await looked({ start })).toMatchObject({ passed: false, detail: 'answered 302, expected 200' })
  })
})

describe('another process', () => {
  it('that already listens on the port proves nothing', async () => {
    const port = await strangerPort()
    expect(await looked({ start: 'touch ran; sleep 1000', url: `http://127.0.0.1:${port}/` })).toMatchObject({
      passed: false,
      detail: `port ${port} is already in use by another process`,
    })
    expect(existsSync(inside('ran'))).toBe(false)
  })

  it('that takes the port during the check proves nothing', async () => {
    // This process starts the server, so it has no launch id, like an unrelated process of the machine.
    const stranger = createServer((_, response) => response.end('hello'))
    const port = await freePort()
    onTestFinished(() => void stranger.close())
    const asked = looked({ start: 'touch started; sleep 1000', url: `http://127.0.0.1:${port}/`, timeoutSeconds: 20 })
    while (!existsSync(inside('started'))) await new Promise((resolve) => setImmediate(resolve))
    stranger.listen(port, '127.0.0.1')
    expect(await asked).toMatchObject({
      passed: false,
      detail: `the process that answers on port ${port} is not the server that was started`,
    })
  })

  it('is never the daemon: its own ports are refused before anything is started', async () => {
    const url = 'http://127.0.0.1:7717/api/status'
    expect(await looked({ start: 'touch ran', url }, [7717])).toMatchObject({
      passed: false,
      detail: 'port 7717 belongs to Agency',
    })
    expect(existsSync(inside('ran'))).toBe(false)
  })
})

it('is not started without a sandbox', async () => {
  expect(await looked({ start: 'touch ran' }, [], false)).toMatchObject({
    passed: false,
    detail: 'not run: no sandbox is available for commands of this runtime',
  })
  expect(existsSync(inside('ran'))).toBe(false)
})

it.each([
  'http://example.org:80/',
  'https://127.0.0.1:1/',
  'http://127.0.0.1/',
  'http://127.0.0.1:0/',
  'http://127.0.0.1:65536/',
  'http://127.0.0.1:80@example.org/',
  'http://user:secret@127.0.0.1:80/',
  'http://127.0.0.1.example.org:80/',
  'http://2130706433:80/',
  'http://127.0.0.1:{port}{port}/',
  'http://127.0.0.1:80\\@example.org/',
  'http://127.0.0.1:80/a b',
  'http://127.0.0.1:80/\n',
  'http://0.0.0.0:80/',
  'unix:///run/agency.sock',
  'file:///etc/passwd',
])('sends no request to %j', (url) => {
  expect(Evidence.safeParse({ kind: 'http', start: 'true', url }).success).toBe(false)
})

it('is not failed by a probe that could not be started', async () => {
  const result = { exitCode: null, signal: null, timedOut: false, output: 'could not be started (EAGAIN)' }
  const place = { ...workspace, run: async () => ({ ...result, outputSha256: '', durationMs: 0, boxed: false }) }
  await expect(looked({ start: serve(hello) }, [], true, place)).rejects.toThrow('could not run')
})

it('cannot run a command through its address', async () => {
  const url = `http://127.0.0.1:{port}/'$(touch\${IFS}ran)';touch\${IFS}ran;\`touch\${IFS}ran\``
  const { output } = await looked({ start: serve(hello), url })
  expect(output).toContain('hello /')
  expect(existsSync(inside('ran'))).toBe(false)
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const strangerPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer((_, response) => response.end('a stranger')).listen(0, '127.0.0.1', () => {
      onTestFinished(() => void server.close())
      resolve((server.address() as AddressInfo).port)
    })
  })
