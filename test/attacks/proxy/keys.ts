import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { turns } from '../../support/model-server/script.ts'
import type { Attack } from '../contract.ts'
import { exchange, hasNetwork, key, type ProxyStage, proxyOf, until } from './stage.ts'

/** The port of the door in the box of the agent `claude`. */
const doorPort = 17_716

const post = (path: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: dummy\r\nconnection: close\r\n${more}content-length: 2\r\n\r\n{}`

/** Sends requests through the door; resolves to the answers and the requests that arrived at the server. */
async function askModel(stage: ProxyStage, ...texts: string[]) {
  const before = stage.api.requests.length
  const answers = await exchange(stage.claude, doorPort, ...texts)
  return { answers, arrived: stage.api.requests.slice(before) }
}

/** The door works, and adds the key. */
async function hasModel(stage: ProxyStage): Promise<boolean> {
  stage.api.handle = (_, response) => response.end('model')
  const { answers, arrived } = await askModel(stage, post('/v1/messages?beta=true'))
  const [request] = arrived
  return (
    answers[0]?.endsWith('model') === true &&
    request?.url === '/models/v1/messages?beta=true' &&
    request.headers['x-api-key'] === key
  )
}

const daemonHasKey = async ({ daemon }: ProxyStage): Promise<boolean> =>
  readFileSync(`/proc/${daemon.pid}/environ`, 'utf8').includes(key)

/** Reports whether a script in the box of the agent prints the key, plainly or in base64. */
async function prints(stage: ProxyStage, script: string): Promise<boolean> {
  const { out } = await stage.claude.shell(script)
  return out.includes(key) || out.includes(Buffer.from(key).toString('base64').slice(0, 30))
}

export const keyAttacks: readonly Attack<ProxyStage>[] = [
  {
    name: 'a command of Claude Code prints its environment',
    control: hasModel,
    attack: (stage) => prints(stage, 'env; printenv ANTHROPIC_API_KEY | base64'),
  },
  {
    name: 'a command of Claude Code reads the environment of all processes',
    control: daemonHasKey,
    attack: (stage) =>
      prints(stage, 'cat /proc/*/environ /proc/*/cmdline /proc/*/task/*/environ 2>/dev/null | tr "\\0" "\\n"'),
  },
  {
    name: 'a command of Claude Code searches every file for the key',
    control: async (stage) => {
      const { out } = await stage.claude.shell(
        `printf 'key %s' x >found.txt; grep -rl 'key x' . "$HOME" /tmp 2>/dev/null`,
      )
      return out.includes('found.txt')
    },
    attack: (stage) =>
      prints(
        stage,
        `grep -rhao 'sk-ant-attacks-[0-9a-z]*' "$HOME" /tmp /run /etc /dev/shm . --exclude='order-*' 2>/dev/null`,
      ),
  },
  {
    name: 'an agent of the runtime program has the key',
    control: daemonHasKey,
    attack: async ({ agent }) => (await agent.shell('env; cat /proc/*/environ 2>/dev/null')).out.includes(key),
  },
  {
    name: 'a command of a model has the key',
    control: async (stage) => {
      const { model, daemon } = stage
      model.play([turns([{ tools: [{ name: 'run_command', input: { command: 'env; cat /proc/*/environ' } }] }])])
      const words = ['--runtime', 'llm', '--option', 'provider=scripted', '--option', 'model=m', '--json']
      await daemon.cli('run', 'Print it', ...words)
      const isAsked = () => model.asked.some(({ toolResults }) => toolResults.length > 0)
      return (await until(isAsked, 20_000)) && model.asked[0]?.headers['x-api-key'] === key
    },
    attack: async ({ model }) =>
      model.asked.some(({ toolResults }) =>
        toolResults.some(({ text }) => !text.includes('PATH=') || text.includes(key)),
      ),
  },
  {
    name: 'the door leads to another server',
    control: hasModel,
    attack: async (stage) => {
      const { port, requests } = stage.honest
      const before = requests.length
      const other = `127.0.0.1:${port}`
      const { arrived } = await askModel(
        stage,
        post(`http://${other}/v1`),
        post(`//${other}/v1`),
        post(`/@${other}/v1`),
        post('/v1').replace('host: 127.0.0.1', `host: ${other}`),
        post('/v1', `x-forwarded-host: ${other}\r\n`),
        `CONNECT ${other} HTTP/1.1\r\nhost: ${other}\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n`,
      )
      const isElsewhere = arrived.some(({ headers }) => headers.host !== `127.0.0.1:${stage.api.port}`)
      return isElsewhere || requests.length > before
    },
  },
  {
    name: 'the door leads out of the path of the model’s server',
    control: hasModel,
    attack: async (stage) => {
      const paths = [
        '/../admin',
        '/v1/../../admin',
        '/%2e%2e/admin',
        '/..%2fadmin',
        '/.%2E/admin',
        '/..\\admin',
        '/v1/..;/../../admin',
      ]
      const { arrived } = await askModel(stage, ...paths.map((path) => post(path)), post('../admin'), post('?x'))
      return arrived.some(({ url = '' }) => !url.startsWith('/models/') || /\.\.|%2e|%2f|%5c|\\/i.test(url))
    },
  },
  {
    name: 'the door removes what belongs to the owner of the key',
    control: hasModel,
    attack: async (stage) => {
      const methods = ['DELETE', 'PUT', 'PATCH', 'TRACE', 'OPTIONS', 'PROPFIND']
      const { arrived } = await askModel(stage, ...methods.map((each) => post('/v1/files/1').replace('POST', each)))
      return arrived.length > 0
    },
  },
  {
    name: 'a request through the door hides another',
    control: hasModel,
    attack: async (stage) => {
      const hidden = post('/../admin')
      const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
      const head = 'host: x\r\nx-api-key: dummy\r\nconnection: close\r\ntransfer-encoding: chunked\r\n'
      const { arrived } = await askModel(
        stage,
        `GET /v1/models HTTP/1.1\r\n${head}\r\n${chunk}`,
        `POST /v1/messages HTTP/1.1\r\n${head}content-length: 3\r\n\r\n0\r\n\r\n${hidden}`,
      )
      return arrived.some(({ url }) => url !== '/models/v1/models' && url !== '/models/v1/messages')
    },
  },
  {
    name: 'the model’s server returns the key in its answer',
    control: hasModel,
    attack: async (stage) => {
      stage.api.handle = ({ headers }, response) => {
        const text = `invalid key ${headers['x-api-key']}, really`
        // With a length, no sizes of chunks divide the key in the answer.
        response.writeHead(401, { 'content-length': text.length })
        response.write(text.slice(0, 20), () => setTimeout(() => response.end(text.slice(20)), 50))
      }
      const { answers } = await askModel(stage, post('/v1/messages', 'accept-encoding: gzip, br\r\n'))
      return answers[0]?.includes('really') !== true || answers[0].includes(key)
    },
  },
  {
    name: 'the model’s server returns the key in a header',
    control: hasModel,
    attack: async (stage) => {
      stage.api.handle = ({ headers }, response) =>
        response
          .writeHead(401, { 'x-echo': `key ${headers['x-api-key']}`, 'set-cookie': `k=${headers['x-api-key']}` })
          .end()
      const { answers } = await askModel(stage, post('/v1/messages'))
      return answers[0]?.includes('x-echo') !== true || answers[0].includes(key)
    },
  },
  {
    name: 'the model’s server redirects with the key',
    control: hasModel,
    attack: async (stage) => {
      const before = stage.honest.requests.length
      stage.api.handle = ({ headers }, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${stage.honest.port}/?k=${headers['x-api-key']}` }).end()
      const { answers } = await askModel(stage, post('/v1/messages'))
      return answers[0]?.includes(key) === true || stage.honest.requests.length > before
    },
  },
  {
    name: 'the model’s server answers with a status below 100',
    control: hasModel,
    attack: async (stage) => {
      const proxy = proxyOf(stage)
      stage.api.handle = ({ socket }) => void socket.end('HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n')
      const { answers } = await askModel(stage, post('/v1/messages'))
      const isValid = answers[0]?.startsWith('HTTP/1.1 502 ') === true
      return !isValid || !stage.daemon.isAlive() || proxyOf(stage) !== proxy || !(await hasNetwork(stage))
    },
  },
  {
    name: 'another box uses the door',
    control: hasModel,
    attack: async (stage) => {
      const before = stage.api.requests.length
      const door = `127.0.0.1:${doorPort}`
      await exchange(stage.agent, doorPort, post('/v1/messages'))
      await exchange(stage.agent, 'proxy', post(`http://${door}/v1/messages`))
      return stage.api.requests.length > before
    },
  },
  {
    name: 'the home of the installation records the key',
    control: async ({ daemon, claude }) =>
      filesOf(daemon.home).some((path) => readFileSync(path, 'latin1').includes(claude.attemptId)),
    attack: async ({ daemon }) => filesOf(daemon.home).some((path) => readFileSync(path, 'latin1').includes(key)),
  },
]

const filesOf = (home: string): string[] =>
  globSync('**', { cwd: home })
    .map((name) => join(home, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
