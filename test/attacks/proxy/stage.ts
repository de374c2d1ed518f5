import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { type DaemonStage, openDaemonStage, type Puppet, puppetScript } from '../daemon-stage.ts'

/** The key of the model that the daemon has and no agent may have. */
export const key = 'sk-ant-attacks-0123456789abcdef'

/** A daemon with three boxed agents, and servers on this machine. */
export interface ProxyStage {
  readonly daemon: DaemonStage
  /** An agent with network; 127.0.0.1 is the only address of this machine that it may reach. */
  readonly agent: Puppet
  /** Another agent, in a box of its own. */
  readonly neighbour: Puppet
  /** An agent of the runtime claude-code: a program that obeys instead of Claude Code. */
  readonly claude: Puppet
  /** A permitted server that sends these bytes to every request. */
  readonly hostile: { readonly port: number; answer: string | ((socket: Socket) => void); requests: string[] }
  /** A permitted server; a server on 127.0.0.2 that the agents may not reach has the same port. */
  readonly honest: { readonly port: number; readonly requests: string[]; readonly secrets: string[] }
  /** The server of the model's API, below the path /models. */
  readonly api: { readonly port: number; readonly requests: IncomingMessage[]; handle: Handler }
  /** A model for the runtime llm. */
  readonly model: ModelServer
  close(): Promise<void>
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export async function openProxyStage(): Promise<ProxyStage> {
  const folder = mkdtempSync('/var/tmp/agency-proxy-')
  const hostile = await startHostile()
  const honest = await startHonest()
  const api = await startApi()
  const model = await startModelServer()
  chmodSync(folder, 0o755)
  const binary = join(folder, 'claude')
  writeFileSync(binary, `#!/bin/sh\n[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit; }\n${puppetScript}\n`)
  chmodSync(binary, 0o755)
  const daemon = await openDaemonStage({
    config: `network: {private: ['127.0.0.1']}
claude: {binary: ${binary}}
llm: {providers: {scripted: {kind: anthropic, base_url: '${model.url}/v1', api_key_env: ANTHROPIC_API_KEY}}}
`,
    environment: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `http://127.0.0.1:${api.port}/models` },
  })
  const servers = [hostile.server, honest.server, honest.secret, api.server]
  const close = async (): Promise<void> => {
    await daemon.close()
    await model.stop()
    for (const each of servers) each.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const [agent, neighbour, claude] = await Promise.all([
      daemon.puppet(),
      daemon.puppet(),
      daemon.puppet({ words: ['--runtime', 'claude-code'] }),
    ])
    return { daemon, agent, neighbour, claude, hostile, honest, api, model, close }
  } catch (error) {
    await close()
    throw error
  }
}

const listen = async (server: Server | ReturnType<typeof createServer>, host: string, port = 0): Promise<number> => {
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, host, resolve))
  return (server.address() as AddressInfo).port
}

export const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'

async function startHostile() {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      hostile.requests.push(String(data))
      socket.on('data', (more) => (hostile.requests[hostile.requests.length - 1] += String(more)))
      if (typeof hostile.answer === 'string') socket.end(hostile.answer)
      else hostile.answer(socket)
    })
  })
  const hostile = {
    server,
    port: await listen(server, '127.0.0.1'),
    answer: ok as ProxyStage['hostile']['answer'],
    requests: [] as string[],
  }
  return hostile
}

async function startHonest() {
  const requests: string[] = []
  const secrets: string[] = []
  const server = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`)
    response.end('honest')
  })
  const secret = createHttpServer((request, response) => {
    secrets.push(`${request.method} ${request.url}`)
    response.end('secret of this machine')
  })
  const port = await listen(server, '127.0.0.1')
  await listen(secret, '127.0.0.2', port)
  return { server, secret, port, requests, secrets }
}

async function startApi() {
  const requests: IncomingMessage[] = []
  const server = createHttpServer((request, response) => {
    requests.push(request)
    api.handle(request, response)
  })
  const api = {
    server,
    port: await listen(server, '127.0.0.1'),
    requests,
    handle: ((_, response) => response.end('model')) as Handler,
  }
  return api
}

/** Sends each text over a connection of its own from inside the box; resolves to the answers, cut at 4,000 characters. */
export async function exchange(puppet: Puppet, port: number | 'proxy', ...texts: string[]): Promise<string[]> {
  if (!clients.has(puppet)) {
    clients.add(puppet)
    const { code, out } = await puppet.shell(`setsid '${process.execPath}' -e '${clientCode}' >/dev/null 2>&1 &`)
    if (code !== 0) throw new Error(out)
  }
  const order = join(puppet.workspace, 'exchange.json')
  const answers = join(puppet.workspace, 'answers.json')
  const encoded = texts.map((text) => Buffer.from(text, 'latin1').toString('base64'))
  writeFileSync(`${order}.new`, JSON.stringify({ port, texts: encoded }))
  renameSync(`${order}.new`, order)
  if (!(await until(() => existsSync(answers), 60_000))) throw new Error('the client in the box does not answer')
  const text = readFileSync(answers, 'utf8')
  rmSync(answers)
  return JSON.parse(text) as string[]
}

const clients = new WeakSet<Puppet>()

/** Runs in the box for all exchanges of an agent. A connection ends when the server closes it, or after a silence. */
const clientCode = `const { readFileSync, renameSync, unlinkSync, writeFileSync } = require("fs");
const one = (at, text) => new Promise((resolve) => {
  let got = "";
  const socket = require("net").connect(at, "127.0.0.1", () => socket.write(Buffer.from(text, "base64")));
  socket.setTimeout(1500, () => socket.destroy());
  socket.on("data", (data) => { if (got.length < 4000) got += data.toString("latin1").slice(0, 4000) });
  socket.on("error", (error) => { got += " error " + error.code }).on("close", () => resolve(got));
});
const look = async () => {
  let order; try { order = JSON.parse(readFileSync("exchange.json", "utf8")) } catch { return void setTimeout(look, 10) }
  unlinkSync("exchange.json");
  const at = order.port === "proxy" ? Number(new URL(process.env.HTTP_PROXY).port) : order.port;
  const answers = []; for (const text of order.texts) answers.push(await one(at, text));
  writeFileSync("answers.new", JSON.stringify(answers)); renameSync("answers.new", "answers.json"); look();
};
look()`

export const get = (port: number, path = '/', host = '127.0.0.1'): string =>
  `GET http://${host}:${port}${path} HTTP/1.1\r\nhost: ${host}:${port}\r\nconnection: close\r\n\r\n`

export const hasNetwork = async (stage: ProxyStage, puppet = stage.agent): Promise<boolean> =>
  (await exchange(puppet, 'proxy', get(stage.honest.port)))[0]?.endsWith('honest') === true

/** Returns the id of the process with the proxies, a child of the daemon; null: there is none at this moment. */
export function proxyOf({ daemon }: ProxyStage): number | null {
  const children = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, 'utf8').trim().split(' ')
  const found = children.find((pid) => {
    try {
      return /box.proxy/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    } catch {
      return false
    }
  })
  return found === undefined ? null : Number(found)
}

export async function until(holds: () => boolean | Promise<boolean>, forMs: number): Promise<boolean> {
  const end = performance.now() + forMs
  while (performance.now() < end) {
    if (await holds()) return true
    await pause(10)
  }
  return false
}
