import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import { rememberSecrets } from '../../../src/secrets/redact.ts'
import { boxHere } from '../../support/box-here.ts'
import { tokenSamples } from '../../support/token-samples.ts'
import { type Attack, defineFamily } from '../contract.ts'
import { type DaemonStage, openDaemonStage, type Puppet } from '../daemon-stage.ts'
import {
  closeCommitStage,
  type CommitStage,
  isCollected,
  type MadeCommit,
  openCommitStage,
} from '../secrets/commits.ts'

interface Stage {
  readonly daemon: DaemonStage
  readonly puppet: Puppet
  /** Sends a report from a puppet that may still report: one attempt may send few. */
  readonly report: (fields: Record<string, unknown>) => Promise<unknown>
  readonly commits: CommitStage
  /** A puppet in a clone, and the branch of another run in the same mirror. */
  readonly clone: () => Promise<{ puppet: Puppet; mirror: string; branch: string }>
}

/** A key of the installation that no format gives away. */
const plainKey = 'violet-harbour-kettle-93'

const sample = (name: string): string => tokenSamples.find(([each]) => each === name)?.[1] ?? ''

/** Sends the same request with a harmless word, which is stored, and with a secret, which must not be. */
function stored(name: string, send: (stage: Stage, word: string) => Promise<unknown>, secret?: string): Attack<Stage> {
  const word = `kettle-${name.replaceAll(/\W+/g, '-')}`
  return {
    name,
    control: async (stage) => {
      await send(stage, word)
      return isStored(stage, word)
    },
    attack: async (stage) => {
      const hidden = secret ?? stage.puppet.token
      await send(stage, hidden)
      return isStored(stage, hidden)
    },
  }
}

/** Reads the bytes of the store: rows, events and their changes. */
const isStored = ({ daemon }: Stage, text: string): boolean =>
  globSync('*.db*', { cwd: daemon.home }).some((name) => readFileSync(join(daemon.home, name)).includes(text))

function reportAttacks(): Attack<Stage>[] {
  const fields: Record<string, (word: string) => Record<string, unknown>> = {
    summary: (word) => ({ summary: `it is ${word}` }),
    outputs: (word) => ({ outputs: [`src/${word}.ts`] }),
    'a question': (word) => ({ status: 'blocked', question: { text: `may I use ${word}?`, context: word } }),
    'the options of a question': (word) => ({
      status: 'blocked',
      question: { text: 'which?', options: [{ key: 'a', label: word, detail: '' }] },
    }),
    assumptions: (word) => ({ assumptions: [`I assume ${word}`, { text: word }] }),
    'remaining work': (word) => ({ status: 'partial', remaining: `use ${word}` }),
    'a verdict': (word) => ({ verdict: { verdict: 'fail', issues: [word], notes: `see ${word}` } }),
    findings: (word) => ({ findings: [{ severity: 'low', file: `${word}.ts`, suggestion: `remove ${word}` }] }),
    'data, as a value': (word) => ({ output: { deep: [{ er: word }] } }),
    'data, as a name': (word) => ({ output: { deep: { [word]: true } } }),
    'a plan': (word) => ({ plan: [{ key: 'a', title: 'a', objective: `call with ${word}` }] }),
  }
  return Object.entries(fields).map(([name, fieldsWith]) =>
    stored(`an agent reports its token in ${name}`, ({ report }, word) => report(fieldsWith(word))),
  )
}

function wordAttacks(): Attack<Stage>[] {
  return [
    stored('an agent logs its token', ({ puppet }, word) =>
      puppet.ask('POST', '/events', { kind: 'log', message: `at ${word}` }),
    ),
    stored('an agent notes its token as the context of a doubt', ({ puppet }, word) =>
      puppet.ask('POST', '/notes', { description: 'a doubt', context: `seen: ${word}` }),
    ),
    stored(
      'an agent notes a key of a provider',
      ({ puppet }, word) => puppet.ask('POST', '/notes', { description: `use ${word}`, context: 'x' }),
      sample('Slack'),
    ),
    stored(
      'an agent reports base64 of the key that the daemon pays with',
      ({ report }, word) => report({ summary: `it is ${word}` }),
      Buffer.from(`KEY=${plainKey}`).toString('base64'),
    ),
    behind('an escape of JSON', (word) => JSON.stringify(`keys:\n${word}`)),
    behind('a colour', (word) => `key\x1B[01;31m${word}\x1B[0m`),
    behind('an encoded character', (word) => `?key%3D${word}`),
    {
      name: 'an agent reports a password in a field that is called so',
      control: async (stage) => {
        await stage.report({ output: { db_owner: 'x9!violet-harbour' } })
        return isStored(stage, 'x9!violet-harbour')
      },
      attack: async (stage) => {
        await stage.report({ output: { db_password: 'x9!kettle-harbour' } })
        return isStored(stage, 'x9!kettle-harbour')
      },
    },
  ]
}

/** Notes a token directly behind letters that belong to something else. */
const behind = (what: string, write: (word: string) => string): Attack<Stage> =>
  stored(
    `an agent notes a token behind ${what}`,
    ({ puppet }, word) => puppet.ask('POST', '/notes', { description: 'a doubt', context: write(word) }),
    sample('npm'),
  )

/** Prints as the agent itself does: into the pipe that its runtime reads. */
async function printed({ daemon, puppet }: Stage, bytes: Buffer, end: string): Promise<string> {
  await puppet.print(bytes)
  const path = join(daemon.home, 'attempts', puppet.attemptId, 'output.log')
  for (let tries = 0; tries < 200; tries += 1) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (text.includes(end)) return text
    await pause(25)
  }
  throw new Error(`"${end}" was not printed`)
}

function outputAttacks(): Attack<Stage>[] {
  const shown = (
    name: string,
    secret: (stage: Stage) => string | Buffer,
    seen?: (stage: Stage) => string,
  ): Attack<Stage> => {
    const mark = `mark-${name.replaceAll(/\W+/g, '-')}`
    return {
      name,
      control: async (stage) =>
        (await printed(stage, Buffer.from(`${mark}-1 kettle\n`), `${mark}-1`)).includes(`${mark}-1 kettle`),
      attack: async (stage) => {
        const said = secret(stage)
        const line = Buffer.concat([Buffer.from('it is '), Buffer.from(said), Buffer.from(`\n${mark}-2\n`)])
        return (await printed(stage, line, `${mark}-2`)).includes(seen?.(stage) ?? said.toString())
      },
    }
  }
  return [
    ...[
      'GitLab',
      'Google',
      'Amazon',
      'npm',
      'Stripe',
      'a JSON Web Token',
      'Hugging Face',
      'GitHub, fine-grained',
      'SendGrid',
      'a browser session of Slack',
      'Netlify',
    ].map((name) => shown(`an agent prints a token: ${name}`, () => sample(name))),
    shown('an agent prints its token in base64', ({ puppet }) =>
      Buffer.from(`AGENCY_TOKEN=${puppet.token}`).toString('base64'),
    ),
    shown('an agent prints its token in hexadecimal', ({ puppet }) => Buffer.from(puppet.token).toString('hex')),
    shown(
      'an agent prints its token in UTF-16',
      ({ puppet }) => Buffer.from(puppet.token, 'utf16le'),
      ({ puppet }) => [...puppet.token].join('\uFFFD'),
    ),
    shown(
      'an agent prints the address of a database',
      () => 'redis://:kettle-harbour@db.example.org',
      () => 'kettle-harbour',
    ),
    shown(
      'an agent prints a setting within a string of JSON',
      () => JSON.stringify({ text: 'password = x9kettle-harbour' }),
      () => 'x9kettle-harbour',
    ),
    {
      name: 'an agent prints a token in two pieces',
      control: async (stage) =>
        (await printed(stage, Buffer.from('two pie'), '')) !== null &&
        (await printed(stage, Buffer.from('ces\nmark-pieces-1\n'), 'mark-pieces-1')).includes('two pieces'),
      attack: async (stage) => {
        const token = sample('GitHub')
        await printed(stage, Buffer.from(`it is ${token.slice(0, 12)}`), '')
        await pause(100)
        return (await printed(stage, Buffer.from(`${token.slice(12)}\nmark-pieces-2\n`), 'mark-pieces-2')).includes(
          token.slice(12),
        )
      },
    },
  ]
}

function commitAttacks(): Attack<Stage>[] {
  const token = sample('an attempt of Agency')
  const inCommit = (name: string, made: (word: string) => MadeCommit[], secret = token): Attack<Stage> => ({
    name: `a commit has a secret in ${name}`,
    control: ({ commits }) => isCollected(commits, ...made('kettle')),
    attack: ({ commits }) => isCollected(commits, ...made(secret)),
  })
  return [
    inCommit('a file: a token of Agency', (word) => [{ files: { 'a.txt': `use ${word}\n` } }]),
    inCommit('a file that a later commit removes', (word) => [
      { files: { 'a.txt': `${word}\n` } },
      { files: { 'a.txt': 'x\n' } },
    ]),
    inCommit('the name of a file', (word) => [{ files: { [`notes/${word}.txt`]: 'x\n' } }]),
    inCommit('the name of an empty file', (word) => [{ files: { [word]: '', 'a.txt': 'x\n' } }]),
    inCommit('its author', (word) => [{ files: { 'a.txt': 'x\n' }, author: word }]),
    inCommit('its committer', (word) => [{ files: { 'a.txt': 'x\n' }, committer: word }]),
    inCommit('a header that no log shows', (word) => [{ files: { 'a.txt': 'x\n' }, header: word }]),
    inCommit('the name of a file, behind an escape', (word) => [{ files: { [`a\t${word}`]: 'x\n' } }]),
    inCommit('JSON, behind an escape', (word) => [{ files: { 'a.json': JSON.stringify(`keys:\n${word}`) } }]),
    inCommit('its message', (word) => [{ files: { 'a.txt': 'x\n' }, message: `use ${word}` }]),
    inCommit('UTF-16', (word) => [{ files: { 'a.txt': Buffer.from(`\uFEFFuse ${word}\r\n`, 'utf16le') } }]),
    inCommit(
      'base64: the key that the daemon pays with',
      (word) => [{ files: { 'a.txt': `${word}\n` } }],
      Buffer.from(`export KEY=${plainKey}`).toString('base64'),
    ),
    inCommit(
      'hexadecimal: the key that the daemon pays with',
      (word) => [{ files: { 'a.txt': `${word}\n` } }],
      Buffer.from(plainKey).toString('hex'),
    ),
  ]
}

async function openClone(daemon: DaemonStage): Promise<{ puppet: Puppet; mirror: string; branch: string }> {
  const source = join(daemon.home, 'shop')
  mkdirSync(source)
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: source,
      encoding: 'utf8',
    })
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '--message', 'start')
  const puppet = await daemon.puppet({ more: ['--repo', source] })
  const mirror = globSync('mirrors/*.git', { cwd: daemon.home }).map((name) => join(daemon.home, name))[0] ?? ''
  const branch = 'refs/heads/feature/run_of-another/main'
  git('--git-dir', mirror, 'update-ref', branch, git('rev-parse', 'HEAD').trim())
  return { puppet, mirror, branch }
}

function mirrorAttacks(): Attack<Stage>[] {
  const skip = (): string | null => (boxHere.ok ? null : boxHere.reason)
  const reads = (
    name: string,
    script: (mirror: string, branch: string) => string,
    found: (branch: string) => string,
  ): Attack<Stage> => ({
    name,
    skip,
    // The daemon itself sees the branch of the other run, and the agent sees its own clone.
    control: async (stage) => {
      const { puppet, mirror, branch } = await stage.clone()
      const own = await puppet.shell('git log --oneline && git status --short && git cat-file -t HEAD')
      return (
        own.code === 0 &&
        execFileSync('git', ['--git-dir', mirror, 'for-each-ref'], { encoding: 'utf8' }).includes(branch)
      )
    },
    attack: async (stage) => {
      const { puppet, mirror, branch } = await stage.clone()
      const { out } = await puppet.shell(script(mirror, branch))
      return out.includes(found(branch))
    },
  })
  return [
    reads(
      'an agent lists the branches of other runs in the mirror',
      (mirror) => `git --git-dir '${mirror}' for-each-ref; git ls-remote '${mirror}'`,
      (branch) => branch,
    ),
    reads(
      'an agent reads the refs of the mirror as files',
      (mirror) => `cat '${mirror}/packed-refs'; find '${mirror}/refs' '${mirror}'/logs -type f`,
      (branch) => branch.split('/').at(-1) ?? branch,
    ),
    reads(
      'an agent reads the settings of the mirror',
      (mirror) => `cat '${mirror}/config'`,
      () => 'allowAnySHA1InWant',
    ),
  ]
}

/** The number of reports that an attempt may send at once. */
const reportsPerAttempt = 10

function createReporter(daemon: DaemonStage, first: Puppet): Stage['report'] {
  let reporter = first
  let sent = 0
  return async (fields) => {
    if (sent > 0 && sent % reportsPerAttempt === 0) reporter = await daemon.puppet()
    sent += 1
    const { status } = await reporter.ask('POST', '/attempt/report', { status: 'done', summary: 'x', ...fields })
    if (status === 429) throw new Error('the puppet has sent too many reports')
  }
}

export const secrets = defineFamily<Stage>({
  name: 'secrets',
  about: 'secrets that would reach rows, events, commits or other agents',
  open: async () => {
    const daemon = await openDaemonStage({ config: 'slots: 8\n', environment: { OPENAI_API_KEY: plainKey } })
    const [puppet, commits] = await Promise.all([daemon.puppet(), openCommitStage()])
    rememberSecrets([plainKey])
    let clone: ReturnType<Stage['clone']> | null = null
    return {
      daemon,
      puppet,
      report: createReporter(daemon, puppet),
      commits,
      clone: () => (clone ??= openClone(daemon)),
    }
  },
  close: async ({ daemon, commits }) => {
    closeCommitStage(commits)
    await daemon.close()
  },
  // Of each sort three are played everywhere; the others differ in the rule alone.
  attacks: [reportAttacks(), wordAttacks(), outputAttacks(), commitAttacks(), mirrorAttacks()].flatMap((sort) =>
    sort.map((attack, index) => (index < 3 ? attack : { ...attack, isLong: true as const })),
  ),
})
