import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'

import { systemClock } from '../../src/kernel/clock.ts'
import { createBox } from '../../src/workspaces/box/box.ts'
import { detectBox } from '../../src/workspaces/box/detect.ts'
import { createProxyProcess } from '../../src/workspaces/box/proxy/process.ts'
import { startInWorkspace } from '../../src/workspaces/process.ts'
import { enterDirectly } from '../../src/workspaces/enter-directly.ts'
import { defaultPolicy } from '../../src/workspaces/policy.ts'
import type { Workspace } from '../../src/workspaces/port.ts'

/** Megabytes per second in each turn. */
export interface Flow {
  readonly direct: number[]
  /** Through the proxy only. */
  readonly proxied: number[]
  /** Out of a box: through its forwarder and through the proxy. */
  readonly boxed: number[]
}

const bytes = 400_000_000

/** Fetches the same bytes with the same program from the same server in three ways. */
export async function measureFlow(times: number): Promise<Flow> {
  const folder = mkdtempSync(join(tmpdir(), 'agency-flow-'))
  const server = spawn(process.execPath, ['-e', serverCode], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const port = Number(String((await once(server.stdout, 'data'))[0]))
    const [path, home] = [join(folder, 'workspace'), join(folder, 'home')]
    for (const each of [join(path, '.agency/outbox'), home]) mkdirSync(each, { recursive: true })
    const boxed = await boxedEntry(folder, path, home)
    const proxy = await startProxy(join(folder, 'proxy.sock'))
    const flow: Flow = { direct: [], proxied: [], boxed: [] }
    for (let turn = 0; turn <= times; turn += 1) {
      const direct = await fetchOnce(enterDirectly(path), port)
      const proxied = await fetchOnce(enterDirectly(path), port, join(folder, 'proxy.sock'))
      const through = await fetchOnce(boxed, port)
      // The first turn only warms up.
      if (turn === 0) continue
      flow.direct.push(direct)
      flow.proxied.push(proxied)
      flow.boxed.push(through)
    }
    proxy.close()
    return flow
  } finally {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The server is on this machine, so the policy has to name its address. */
const network = { allowed: true, allow: [], block: [], private: ['127.0.0.1'] }

const startProxy = (path: string): Promise<{ close(): void }> =>
  createProxyProcess({ clock: systemClock }).open(path, { kind: 'egress', network })

async function boxedEntry(folder: string, path: string, home: string): Promise<Workspace['enter']> {
  const directory = join(folder, 'boxes')
  const found = await detectBox({ directory })
  if (!found.ok) throw new Error(found.reason)
  const box = await createBox({ program: found.program, directory, connect: null, closed: [], clock: systemClock })
  return box.enter({ path, home, policy: defaultPolicy('', { network }) })
}

async function fetchOnce(enter: Workspace['enter'], port: number, proxy = ''): Promise<number> {
  const inside = await startInWorkspace(
    { enter },
    {
      command: [process.execPath, '-e', clientCode, String(port), String(bytes)],
      environment: { PATH: '/usr/bin:/bin', PROXY_SOCKET: proxy },
    },
    ['ignore', 'pipe', 'pipe'],
  )
  let text = ''
  inside.child.stdout?.on('data', (chunk) => (text += String(chunk)))
  inside.child.stderr?.on('data', (chunk) => (text += String(chunk)))
  const closed = once(inside.child, 'close')
  await inside.exited
  await closed
  await inside.leave()
  const ms = Number(text)
  if (!(ms > 0)) throw new Error(`the client received nothing: ${text}`)
  return bytes / 1e6 / (ms / 1e3)
}

const serverCode = `const chunk = Buffer.alloc(256 * 1024, 1)
const server = require('net').createServer((socket) => {
  socket.on('error', () => {})
  const go = () => { while (!socket.destroyed && socket.write(chunk)); }
  socket.on('drain', go)
  go()
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/** Starts its timer at the first byte: the time until then is the other figure. */
const clientCode = `const [port, bytes] = process.argv.slice(1).map(Number)
const { HTTP_PROXY: proxy, PROXY_SOCKET: path } = process.env
const socket = path ? require('net').connect(path) : require('net').connect(proxy ? new URL(proxy).port : port, '127.0.0.1')
if (proxy || path) socket.write('CONNECT 127.0.0.1:' + port + ' HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')
let began = 0n, got = 0
socket.on('data', (chunk) => {
  began ||= process.hrtime.bigint()
  got += chunk.length
  if (got < bytes) return
  console.log(Number(process.hrtime.bigint() - began) / 1e6)
  process.exit()
})`
