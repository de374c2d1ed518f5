import { execFile, spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { pause } from '../../src/kernel/clock.ts'
import { freePort } from '../support/port.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface CommandEnd {
  readonly code: number
  readonly out: string
}

/** An agent of the runtime `program` that runs scripts of the test in its box. */
export interface Puppet {
  readonly runId: string
  readonly attemptId: string
  readonly token: string
  readonly workspace: string
  /** Runs a shell script in the workspace of the agent, boxed where a box exists, one at a time. */
  shell(script: string): Promise<CommandEnd>
  /** Makes the agent print, in one piece. */
  print(text: Buffer): Promise<void>
  /** Sends a request as the agent, from inside its box. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

export interface PuppetOptions {
  /** The slug of the persona of the agent; without one, none in particular. */
  readonly persona?: string
  /** The id of the organisation that it works for; without one, the first. */
  readonly organisationId?: number
  /** Options of the run that start another runtime whose program runs `puppetScript`. */
  readonly words?: readonly string[]
  /** Further options of the run. */
  readonly more?: readonly string[]
}

/** A real daemon with an own home, started from source. */
export interface DaemonStage {
  readonly home: string
  readonly address: string
  readonly pid: number
  readonly operatorToken: string
  /** Sends a request as the operator. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** Runs the command line with this home. */
  cli(...words: string[]): Promise<CommandEnd>
  puppet(options?: PuppetOptions): Promise<Puppet>
  isAlive(): boolean
  close(): Promise<void>
}

const root = resolve(import.meta.dirname, '../..')
const main = join(root, 'src/cli/main.ts')

export interface StageOptions {
  /** The text of config.yaml. */
  readonly config?: string
  readonly environment?: Readonly<Record<string, string>>
  /** A descriptor that the daemon inherits from its caller, and its number there. */
  readonly inherits?: { readonly descriptor: number; readonly as: number }
}

export async function openDaemonStage({
  config = '',
  environment = {},
  inherits,
}: StageOptions = {}): Promise<DaemonStage> {
  const home = realpathSync(mkdtempSync('/var/tmp/agency-stage-'))
  const port = await freePort()
  writeFileSync(join(home, 'config.yaml'), `port: ${port}\n${config}`)
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, LANG: 'C.UTF-8', ...environment }
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe']
  if (inherits !== undefined) {
    while (stdio.length < inherits.as) stdio.push('ignore')
    stdio.push(inherits.descriptor)
  }
  const child = spawn(process.execPath, [main, 'up', '--foreground'], { env, stdio })
  let said = ''
  child.stderr?.on('data', (data: Buffer) => (said = (said + String(data)).slice(-20_000)))
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  const address = `http://127.0.0.1:${port}`
  while (!(await isUp(address, home))) {
    await pause(50)
    if (!isAlive()) throw new Error(`the daemon ended with ${child.exitCode}: ${said}`)
  }
  const operatorToken = readFileSync(join(home, 'operator.token'), 'utf8').trim()
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(`${address}/api${path}`, operatorToken, method, body)
  const cli = (...words: string[]): Promise<CommandEnd> =>
    new Promise((settle) => {
      execFile(process.execPath, [main, ...words], { env, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) =>
        settle({ code: error === null ? 0 : Number(error.code ?? 1), out: `${out}${err}` }),
      )
    })
  return {
    home,
    address,
    pid: child.pid as number,
    operatorToken,
    ask,
    cli,
    puppet: (options = {}) => startPuppet(home, cli, ask, options),
    isAlive,
    close: async () => {
      if (isAlive()) {
        const gone = once(child, 'exit')
        child.kill('SIGTERM')
        await gone
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function isUp(address: string, home: string): Promise<boolean> {
  if (!existsSync(join(home, 'daemon.json'))) return false
  return await fetch(`${address}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

export async function send(url: string, token: string | null, method: string, body?: unknown): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' }
  if (token !== null) headers['authorization'] = `Bearer ${token}`
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

async function runByCli(
  cli: DaemonStage['cli'],
  place: readonly string[],
  words: readonly string[] = ['--program', `sh -c '${puppetScript.replaceAll("'", `'\\''`)}'`],
): Promise<string> {
  const started = await cli('run', 'Obey', ...place, ...words, '--json')
  if (started.code !== 0) throw new Error(started.out)
  return (JSON.parse(started.out) as { id: string }).id
}

/** Starts a run whose brief names its persona, which no option of the command line does. */
async function runAs(ask: DaemonStage['ask'], persona: string, organisationId = 1): Promise<string> {
  const { status, body } = await ask('POST', '/runs', {
    goal: 'Obey',
    organisation_id: organisationId,
    runtime: 'program',
    runtime_options: { command: ['sh', '-c', puppetScript] },
    briefs: [{ key: 'main', objective: 'Obey', persona }],
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return (body as { id: string }).id
}

/** Prints each file `say` and runs every `order-N.sh` of the workspace, until it is killed with its box. */
export const puppetScript = `printf '%s\\n' "$AGENCY_TOKEN" "$AGENCY_LAUNCH_ID" >whoami.tmp; mv whoami.tmp whoami
while :; do
  if [ -e say ]; then cat say; rm say; fi
  for order in order-*.sh; do
    [ -e "$order" ] || continue
    sh "$order" >"$order.out" 2>&1; echo $? >"$order.tmp"; rm "$order"; mv "$order.tmp" "$order.code"
  done
  sleep 0.05
done`

async function startPuppet(
  home: string,
  cli: DaemonStage['cli'],
  ask: DaemonStage['ask'],
  { persona, organisationId, words, more = [] }: PuppetOptions,
): Promise<Puppet> {
  const place = [...(organisationId === undefined ? [] : ['--org', String(organisationId)]), ...more]
  const runId = await (persona === undefined ? runByCli(cli, place, words) : runAs(ask, persona, organisationId))
  const workspace = await findWorkspace(home, runId)
  const [token = '', attemptId = ''] = readFileSync(join(workspace, 'whoami'), 'utf8').split('\n')
  let orders = 0
  const shell: Puppet['shell'] = async (text) => {
    orders += 1
    const order = join(workspace, `order-${orders}.sh`)
    writeFileSync(`${order}.new`, text)
    renameSync(`${order}.new`, order)
    while (!existsSync(`${order}.code`)) await pause(20)
    return { code: Number(readFileSync(`${order}.code`, 'utf8')), out: readFileSync(`${order}.out`, 'utf8') }
  }
  return {
    runId,
    attemptId,
    token,
    workspace,
    shell,
    print: async (text) => {
      const say = join(workspace, 'say')
      writeFileSync(`${say}.new`, text)
      renameSync(`${say}.new`, say)
      while (existsSync(say)) await pause(20)
    },
    ask: async (method, path, body) => {
      writeFileSync(
        join(workspace, 'request.json'),
        JSON.stringify({ method, path: `/api${path}`, body: body ?? null }),
      )
      const { code, out } = await shell(`exec '${process.execPath}' -e '${requestCode}'`)
      if (code !== 0) throw new Error(out)
      return JSON.parse(out) as Answer
    },
  }
}

const requestCode = `const { method, path, body } = JSON.parse(require("fs").readFileSync("request.json", "utf8"));
const headers = { authorization: "Bearer " + process.env.AGENCY_TOKEN, accept: "application/json" };
if (body !== null) headers["content-type"] = "application/json";
const request = require("http").request({ socketPath: process.env.AGENCY_SOCKET, method, path, headers }, async (answer) => {
  let text = ""; for await (const part of answer) text += part;
  let value = text; try { value = JSON.parse(text) } catch {}
  console.log(JSON.stringify({ status: answer.statusCode, body: value })) });
request.end(body === null ? undefined : JSON.stringify(body))`

/** Resolves with the directory in which the agent of this run has written its identity. */
async function findWorkspace(home: string, runId: string): Promise<string> {
  for (;;) {
    const found = globSync(`workspaces/${runId}/**/whoami`, { cwd: home })[0]
    if (found !== undefined) return dirname(join(home, found))
    await pause(50)
  }
}
