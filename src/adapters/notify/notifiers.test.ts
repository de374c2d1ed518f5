import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'

import { type Behaviour, httpEndpoint, type HttpRequest, smtpEndpoint } from '../../../test/support/endpoints.ts'
import { isRunning } from '../../../test/support/processes.ts'
import { freshFolder } from '../../../test/support/store.ts'
import type { Secret, SettingsOf } from './contract.ts'
import {
  messageOfSuite,
  type NotifierUnderTest,
  notifierContract,
  type OpenedNotifier,
  type Received,
} from './contract-suite.ts'
import { createDiscordNotifier } from './discord/notifier.ts'
import { createEmailNotifier } from './email/notifier.ts'
import { createNtfyNotifier } from './ntfy/notifier.ts'
import type { Notifier } from './port.ts'
import { createProgramNotifier } from './program/notifier.ts'
import { createSlackNotifier } from './slack/notifier.ts'
import { createTerminalNotifier } from './terminal/notifier.ts'
import { createWebhookNotifier } from './webhook/notifier.ts'

const timeoutSeconds = 10
const patient = { timeoutMs: 10_000 }

const overHttp = (
  create: (url: string, token: string) => Notifier,
  read: (request: HttpRequest) => string,
  showsCommands = true,
): NotifierUnderTest => ({
  behaviours: [
    'takes it',
    'hangs',
    'fails',
    'fails and repeats what it was sent',
    'fails and never stops talking',
    'takes it and never stops talking',
    'points elsewhere',
    'hangs up',
    'is not there',
  ],
  failure: /^answered 500 Internal Server Error: out of order$/,
  showsCommands,
  open: async (behaviour, secret) => {
    const { origin, requests, elsewhere } = await httpEndpoint(behaviour)
    return {
      notifier: create(`${origin}/hooks/${secret}`, secret),
      received: () => requests.map((each) => ({ text: read(each), headers: Object.keys(each.headers) })),
      wasRedirected: () => elsewhere.length > 0,
    }
  },
})

/** Returns every text of a JSON body, one per line. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}
const jsonTexts = ({ body }: Pick<HttpRequest, 'body'>): string => textsOf(JSON.parse(body)).join(' | ')

notifierContract('webhook', () =>
  overHttp((url, token) => createWebhookNotifier({ adapter: 'webhook', timeoutSeconds, url, token }, {}), jsonTexts),
)
notifierContract('slack', () =>
  overHttp((url) => createSlackNotifier({ adapter: 'slack', timeoutSeconds, url }, {}), jsonTexts),
)
notifierContract('discord', () =>
  overHttp(
    (url) => createDiscordNotifier({ adapter: 'discord', timeoutSeconds, url }, {}),
    (request) => jsonTexts(request).replace(/\\([^A-Za-z0-9\s])/g, '$1'),
  ),
)
notifierContract('ntfy', () =>
  overHttp((url, token) => createNtfyNotifier({ adapter: 'ntfy', timeoutSeconds, url, token }, {}), ntfyText),
)
notifierContract('email', () => ({
  behaviours: [
    'takes it',
    'hangs',
    'fails',
    'fails and repeats what it was sent',
    'fails and never stops talking',
    'takes it and never stops talking',
    'hangs up',
    'is not there',
  ],
  failure: /554 5\.7\.1 out of order/,
  showsCommands: true,
  open: async (behaviour, secret) => {
    const { port, mails } = await smtpEndpoint(behaviour)
    return {
      notifier: emailTo(port, secret),
      received: () => mails.map((mail) => ({ text: mailText(mail), headers: headersOf(mail) })),
    }
  },
}))
notifierContract('terminal', () => ({
  behaviours: ['takes it', 'fails'],
  failure: /^the terminal is gone$/,
  showsCommands: true,
  open: async (behaviour) => {
    const lines: Received[] = []
    const notifier = createTerminalNotifier({ adapter: 'terminal', timeoutSeconds }, (line) => {
      if (behaviour === 'fails') throw new Error('the terminal is gone')
      lines.push({ text: line, headers: [] })
    })
    return { notifier, received: () => lines }
  },
}))
notifierContract('program', () => ({
  behaviours: [
    'takes it',
    'hangs',
    'fails',
    'fails and repeats what it was sent',
    'fails and never stops talking',
    'is not there',
  ],
  failure: /^"sh" exited with 3: out of order$/,
  showsCommands: true,
  open: async (behaviour, secret) => openProgram(behaviour, secret),
}))

const scripts: Partial<Record<Behaviour, string>> = {
  'takes it': 'cat > "$(mktemp "$1/XXXXXX")"',
  hangs: 'sleep 600',
  fails: 'echo out of order >&2; exit 3',
  'fails and repeats what it was sent': 'echo "$2" >&2; cat >&2; exit 3',
  'fails and never stops talking': 'head -c 20000000 /dev/zero | tr "\\0" x >&2; exit 3',
}

function openProgram(behaviour: Behaviour, secret: string): OpenedNotifier {
  const folder = freshFolder()
  const command =
    behaviour === 'is not there'
      ? ['/nowhere/at-all', secret]
      : ['sh', '-c', scripts[behaviour] ?? 'exit 1', 'sh', folder, secret]
  return {
    notifier: createProgramNotifier({ adapter: 'program', timeoutSeconds, command, pass: [] }, process.env),
    received: () =>
      readdirSync(folder).map((name) => ({
        text: jsonTexts({ body: readFileSync(join(folder, name), 'utf8') }),
        headers: [],
      })),
  }
}

const emailTo = (port: number, password: Secret): Notifier =>
  createEmailNotifier(
    {
      adapter: 'email',
      timeoutSeconds,
      server: `smtp://127.0.0.1:${port}`,
      user: 'ada',
      password,
      from: 'Agency <agency@example.org>',
      to: ['ada@example.org', 'bob@example.org'],
    },
    {},
  )

/** Formats the message as ntfy shows it: decoded headers, then the text. */
const ntfyText = ({ headers, body }: HttpRequest): string =>
  [decodedWords(String(headers['title'] ?? '')), headers['click'], headers['actions'], body].join('\n')

const decodedWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, how: string, word: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : quotedPrintable(word.replaceAll('_', ' ')),
    )

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

const headersOf = (mail: string): string[] =>
  [...(mail.split('\n\n')[0] ?? '').matchAll(/^([\w-]+):/gm)].map(([, name]) => name ?? '')

function mailText(mail: string): string {
  const [head = '', ...body] = mail.split('\n\n')
  const headers = decodedWords(head.replace(/\n\s+/g, ' '))
  const text = body.join('\n\n')
  if (/^content-transfer-encoding: base64/im.test(head))
    return `${headers}\n\n${Buffer.from(text, 'base64').toString('utf8')}`
  return /^content-transfer-encoding: quoted-printable/im.test(head)
    ? `${headers}\n\n${quotedPrintable(text)}`
    : `${headers}\n\n${text}`
}

describe('a webhook', () => {
  it('receives the message with the names of the API, its id, a token and a signature over the body', async () => {
    const { origin, requests } = await httpEndpoint('takes it')
    const settings = {
      adapter: 'webhook',
      timeoutSeconds,
      url: `${origin}/x`,
      token: 'tok-123456',
      secret: 's3cret',
    } as const
    await createWebhookNotifier(settings, {}).send(messageOfSuite, patient)
    const { headers, body = '' } = requests[0] ?? {}
    expect(JSON.parse(body)).toEqual({
      id: 'ntf_000000000001',
      audience: 'operator',
      kind: 'gate_pending',
      title: 'Plan of run_7k2 waits for you',
      summary: 'Three briefs, two agents.\nNothing unusual.',
      actions: messageOfSuite.actions,
      link: 'http://127.0.0.1:7717/runs/run_7k2',
      run_id: 'run_7k2',
    })
    expect(headers).toMatchObject({
      authorization: 'Bearer tok-123456',
      'idempotency-key': 'ntf_000000000001',
      'x-agency-signature': `sha256=${createHmac('sha256', 's3cret').update(body).digest('hex')}`,
    })
  })
})

describe('a secret', () => {
  const send = (url: Secret, environment = {}): Promise<void> =>
    createWebhookNotifier({ adapter: 'webhook', timeoutSeconds, url }, environment).send(messageOfSuite, patient)

  it('is read from the environment or a file at each message', async () => {
    const { origin, requests } = await httpEndpoint('takes it')
    const file = join(freshFolder(), 'url')
    writeFileSync(file, `${origin}/first\n`)
    await send({ file })
    writeFileSync(file, `${origin}/second\n`)
    await send({ file })
    await send({ env: 'HOOK' }, { HOOK: `${origin}/third` })
    expect(requests.map(({ path }) => path)).toEqual(['/first', '/second', '/third'])
  })

  it('is reported if it is missing or not an address', async () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'empty'), '\n')
    await expect(send({ env: 'HOOK' })).rejects.toThrow('HOOK is not set in the daemon’s environment')
    await expect(send({ file: join(folder, 'none') })).rejects.toThrow('none cannot be read: ENOENT')
    await expect(send({ file: join(folder, 'empty') })).rejects.toThrow('empty is empty')
    await expect(send({ env: 'HOOK' }, { HOOK: 'file:///etc/passwd' })).rejects.toThrow('not an http or https address')
    await expect(send({ env: 'HOOK' }, { HOOK: 'hunter2' })).rejects.toThrow('not an http or https address')
  })
})

describe('discord', () => {
  it('contains no mentions and at most 2,000 characters', async () => {
    const { origin, requests } = await httpEndpoint('takes it')
    const notifier = createDiscordNotifier({ adapter: 'discord', timeoutSeconds, url: `${origin}/x` }, {})
    await notifier.send({ ...messageOfSuite, title: '@everyone', summary: '**'.repeat(5_000) }, patient)
    const { content, allowed_mentions } = JSON.parse(requests[0]?.body ?? '') as Record<string, unknown>
    expect(allowed_mentions).toEqual({ parse: [] })
    expect(String(content).length).toBeLessThanOrEqual(2_000)
    expect(content).toContain('agency approve run_7k2')
  })
})

describe('slack', () => {
  it('turns no text into a mention or a hidden link', async () => {
    const { origin, requests } = await httpEndpoint('takes it')
    const notifier = createSlackNotifier({ adapter: 'slack', timeoutSeconds, url: `${origin}/x` }, {})
    const text = '<!channel> <https://evil.example|agency> a & b'
    await notifier.send({ ...messageOfSuite, title: text, summary: text, link: 'https://x/>|<!here>' }, patient)
    const { text: fallback, blocks } = JSON.parse(requests[0]?.body ?? '') as {
      text: string
      blocks: { text: { text: string } }[]
    }
    expect(fallback).toBe('&lt;!channel&gt; &lt;https://evil.example|agency&gt; a &amp; b')
    expect(blocks[1]?.text.text).not.toMatch(/<(?!http:\/\/127\.0\.0\.1)/)
  })
})

describe('ntfy', () => {
  it('receives headers in ASCII for any title, and pages as buttons', async () => {
    const { origin, requests } = await httpEndpoint('takes it')
    const notifier = createNtfyNotifier({ adapter: 'ntfy', timeoutSeconds, url: `${origin}/topic` }, {})
    const actions = [{ label: 'Ünï', command: 'x', link: 'http://127.0.0.1/y' }]
    await notifier.send({ ...messageOfSuite, title: 'Übermäßig lange Überschrift 😀 '.repeat(5), actions }, patient)
    const { headers = {} } = requests[0] ?? {}
    expect(String(headers['title'])).toMatch(/^(=\?UTF-8\?B\?[A-Za-z0-9+/=]{1,60}\?= ?)+$/)
    expect(decodedWords(String(headers['title']))).toContain('Übermäßig lange Überschrift 😀')
    expect(headers).toMatchObject({ priority: '4', tags: 'gate_pending', click: messageOfSuite.link })
    expect(headers['actions']).toBe('[{"action":"view","label":"\\u00dcn\\u00ef","url":"http://127.0.0.1/y"}]')
  })
})

describe('an e-mail', () => {
  it('is sent to all recipients with its title as subject, after a login', async () => {
    const { port, mails, lines } = await smtpEndpoint('takes it')
    await emailTo(port, 'hunter2').send({ ...messageOfSuite, title: 'Pläne' }, patient)
    expect(lines.filter((line) => line.startsWith('RCPT'))).toHaveLength(2)
    expect(lines.some((line) => line === `AUTH PLAIN ${Buffer.from('\0ada\0hunter2').toString('base64')}`)).toBe(true)
    expect(mailText(mails[0] ?? '')).toMatch(/^Subject: Pläne$/m)
    expect(mails[0]).toContain('Message-ID: <ntf_000000000001@agency.invalid>')
  })

  it('never sends a password unencrypted to another machine', async () => {
    const { port, lines } = await smtpEndpoint('takes it')
    // A name of this machine that is not a loopback name: it stands for a foreign server.
    const settings: SettingsOf<'email'> = {
      adapter: 'email',
      timeoutSeconds,
      from: 'a@b',
      to: ['c@d'],
      user: 'ada',
      password: 'hunter2',
      server: `smtp://0.0.0.0:${port}`,
    }
    const notifier = createEmailNotifier(settings, {})
    await expect(notifier.send(messageOfSuite, patient)).rejects.toThrow(/TLS/i)
    expect(lines.filter((line) => line.startsWith('AUTH'))).toEqual([])
  })
})

describe('a program', () => {
  const run = (script: string, more: { pass?: string[]; timeoutMs?: number } = {}): Promise<void> =>
    createProgramNotifier(
      { adapter: 'program', timeoutSeconds, command: ['sh', '-c', script], pass: more.pass ?? [] },
      { PATH: process.env['PATH'], HOME: '/nowhere', AGENCY_TOKEN: 'opr_secret', DISPLAY: ':1' },
    ).send(messageOfSuite, { timeoutMs: more.timeoutMs ?? 10_000 })

  it('cannot leak a variable passed by name, even if it prints it', async () => {
    await expect(run('echo "no: $AGENCY_TOKEN" >&2; exit 1', { pass: ['AGENCY_TOKEN'] })).rejects.toThrow(
      'exited with 1: no: [redacted]',
    )
  })

  it('receives only the basic variables of the daemon’s environment and the named ones', async () => {
    const file = join(freshFolder(), 'environment')
    await run(`env > ${file}`, { pass: ['DISPLAY', 'NOT_SET'] })
    const names = readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0] ?? '')
    expect(names.filter((name) => !['', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).sort()).toEqual([
      'DISPLAY',
      'HOME',
      'LANG',
      'PATH',
    ])
  })

  it('is killed with everything it started when it hangs', async () => {
    const file = join(freshFolder(), 'pid')
    await expect(run(`sleep 600 & echo $! > ${file}; wait`, { timeoutMs: 2_000 })).rejects.toThrow('did not answer')
    const pid = Number(readFileSync(file, 'utf8'))
    await vi.waitUntil(() => !isRunning(pid), { timeout: 15_000 })
    expect(pid).toBeGreaterThan(1)
  })

  it('leaves no process behind when it succeeds', async () => {
    const file = join(freshFolder(), 'pid')
    await run(`sleep 600 & echo $! > ${file}`)
    const pid = Number(readFileSync(file, 'utf8'))
    await vi.waitUntil(() => !isRunning(pid), { timeout: 15_000 })
    expect(pid).toBeGreaterThan(1)
  })

  it('need not read its input', async () => {
    await expect(run('exec 0<&-; exit 0')).resolves.toBeUndefined()
  })
})
