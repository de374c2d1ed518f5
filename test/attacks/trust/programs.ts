import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import { type Ended, exists, isStarted, needsBox, openTrustStage, planOf, sha256, type TrustStage } from './stage.ts'

const readStep = (path: string): object[] => [{ run: `cat '${path}' >got.txt 2>&1; true` }]

/** Attacks of a trusted plan: trust lets it run in the box, and no further. */
export const programAttacks: readonly Attack<TrustStage>[] = [
  {
    name: 'a step reads the token of the operator',
    skip: needsBox,
    control: async (stage) =>
      (await stage.playPlan(planOf(readStep('/etc/passwd')))).file('got.txt')?.includes(':') === true,
    attack: async (stage) => {
      const { file } = await stage.playPlan(planOf(readStep(join(stage.home, 'operator.token'))))
      return file('got.txt')?.includes(stage.operatorToken) !== false
    },
  },
  {
    name: 'a step writes outside its workspace',
    skip: needsBox,
    control: async (stage) => {
      const { file } = await stage.playPlan(planOf([{ write: { path: 'inside.txt', text: 'x' } }]))
      return file('inside.txt') === 'x'
    },
    attack: async (stage) => {
      const path = join(stage.folder, 'outside.txt')
      await stage.playPlan(planOf([{ write: { path, text: 'x' } }, { run: `echo x >'${path}.run'` }]))
      return exists(path) || exists(`${path}.run`)
    },
  },
  {
    name: 'a check of a simulated brief reads the token of the operator',
    skip: needsBox,
    control: (stage) => checkPasses(stage, '/etc/passwd'),
    attack: (stage) => checkPasses(stage, join(stage.home, 'operator.token')),
  },
  {
    name: 'a scenario of our own follows a link out of its workspace',
    isLong: true,
    control: async (stage) => (await writtenTo(stage, null)) !== 'precious',
    attack: async (stage) => (await writtenTo(stage, 'link')) !== 'precious',
  },
  {
    name: 'a planner plans a command',
    isLong: true,
    control: async (stage) => (await plannedKinds(stage, { kind: 'file', path: 'a.txt' })).includes('file'),
    attack: async (stage) => (await plannedKinds(stage, { kind: 'command', run: 'evil' })).includes('command'),
  },
  {
    name: 'a required box lets a simulated agent out',
    isLong: true,
    skip: needsBox,
    control: async (stage) => (await playOurs(stage)).attempts.some(({ boxed }) => !boxed),
    attack: () =>
      withDaemon('box: required', {}, async (stage) => (await playOurs(stage)).attempts.some(({ boxed }) => !boxed)),
  },
  {
    name: 'a simulated agent starts without the required box',
    isLong: true,
    control: async (stage) =>
      (await stage.playPlan(planOf([{ write: { path: 'a.txt', text: 'x' } }]))).file('a.txt') === 'x',
    attack: () =>
      withDaemon('box: required', { PATH: pathWithoutBox() }, async (stage) => {
        const foreign = await stage.playPlan(planOf([{ write: { path: 'a.txt', text: 'x' } }]))
        return foreign.file('a.txt') !== null || (await playOurs(stage)).file('a.txt') !== null
      }),
  },
  {
    name: 'a check on the host leaves the required box',
    isLong: true,
    skip: needsBox,
    control: () => checkedOnHost('auto'),
    attack: () => checkedOnHost('required'),
  },
]

function privateNotes(stage: TrustStage): string {
  const folder = join(stage.folder, 'notes')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'diary.md'), '---\nname: Diary\n---\nPrivate.\n')
  return folder
}

const repositoryIn = (stage: TrustStage, name: string): string =>
  makeRepository(join(stage.folder, name), (path) => writeFileSync(join(path, 'private.txt'), 'x'))

const planIn = (repo: string): string =>
  JSON.stringify({ goal: 'A', runtime: 'scripted', repo, briefs: [{ id: 'a', objective: 'Write a haiku into a.txt' }] })

const teamRun = (team: object): object => ({
  goal: 'Build it',
  playbook: 'tiered',
  runtime: 'scripted',
  team: JSON.stringify(team),
})

/** Attacks of team files. */
export const teamAttacks: readonly Attack<TrustStage>[] = [
  ...(
    [
      ['a team starts a program as notifier', { adapter: 'program', command: ['sh', '-c', 'evil'] }],
      [
        'a team sends a file of the operator to its address',
        { adapter: 'webhook', url: 'http://127.0.0.1:9/', token: { file: '/etc/passwd' } },
      ],
      [
        'a team sends a variable of the daemon to its address',
        { adapter: 'ntfy', url: 'http://127.0.0.1:9/', token: { env: 'PATH' } },
      ],
      ['a team takes its address from a variable', { adapter: 'slack', url: { env: 'PATH' } }],
      ['a team sends mail', { adapter: 'email', server: 'smtp://127.0.0.1:9', from: 'a@b.c', to: ['a@b.c'] }],
    ] as const
  ).map(([name, entry]): Attack<TrustStage> => ({
    name,
    control: async (stage) => isStarted(await stage.ask('POST', '/runs', teamRun({ notify: ['phone'] }))),
    attack: async (stage) => isStarted(await stage.ask('POST', '/runs', teamRun({ notify: [entry] }))),
  })),
  {
    name: 'a team defines the address of a model',
    control: async (stage) =>
      isStarted(
        await stage.ask('POST', '/runs', teamRun({ capabilities: { capable: { provider: 'a', model: 'b' } } })),
      ),
    attack: async (stage) => {
      const model = { provider: 'openai', model: 'b', base_url: 'http://127.0.0.1:9/', api_key_env: 'OPENAI_API_KEY' }
      const tiers = { t1: { runtime: 'standard', options: { base_url: 'http://127.0.0.1:9/' } } }
      const asked = [{ capabilities: { capable: model } }, { tiers, capabilities: { capable: model } }, { llm: {} }]
      const answers = await Promise.all(asked.map((team) => stage.ask('POST', '/runs', teamRun(team))))
      return answers.some(isStarted)
    },
  },
  {
    name: 'a team gives private notes to agents before anybody trusts it',
    control: async (stage) => {
      const team = JSON.stringify({ limits: {}, talent: { path: privateNotes(stage) } })
      return isStarted(await stage.ask('POST', '/runs', { ...teamRun({}), team, trust: [sha256(team)] }))
    },
    attack: async (stage) =>
      isStarted(await stage.ask('POST', '/runs', teamRun({ talent: { path: privateNotes(stage) } }))),
  },
  {
    name: 'a plan works in a repository before anybody trusts it',
    control: async (stage) => {
      const plan = planIn(repositoryIn(stage, 'named-by-trusted'))
      return isStarted(await stage.runPlan(plan, { trust: [sha256(plan)] }))
    },
    attack: async (stage) => isStarted(await stage.runPlan(planIn(repositoryIn(stage, 'named-by-stranger')))),
  },
  {
    name: 'a team names a program before anybody trusts it',
    control: async (stage) => isStarted(await stage.ask('POST', '/runs', teamRun({ limits: { retry_budget: 1 } }))),
    attack: async (stage) => {
      const tiers = { t4: { runtime: 'program', options: { command: ['true', 'evil'] } } }
      const answers = await Promise.all(
        [{ tiers }, { setup: 'evil' }, { runtime: { options: { scenario: { steps: [{ run: 'evil' }] } } } }].map(
          (team) => stage.ask('POST', '/runs', teamRun(team)),
        ),
      )
      return answers.some(isStarted)
    },
  },
]

/** Plays the default scenario with a command as evidence that the operator typed. */
async function checkPasses(stage: TrustStage, path: string): Promise<boolean> {
  const { evidence } = await stage.ended(
    await stage.ask('POST', '/runs', {
      goal: 'Write a haiku into a.txt',
      runtime: 'scripted',
      on_limit: 'fail',
      retry_budget: 0,
      evidence: [{ kind: 'command', run: `grep -q . '${path}'` }],
    }),
  )
  return evidence.some(({ passed }) => passed)
}

/** Lets our own agent write a.txt in a repository in which a.txt may be a link, and returns the text outside. */
async function writtenTo(stage: TrustStage, link: 'link' | null): Promise<string> {
  const outside = stage.write(`precious-${link}`, 'precious')
  const repo = makeRepository(join(stage.folder, `repository-${link}`), (path) => {
    if (link === null) writeFileSync(join(path, 'a.txt'), 'precious')
    else symlinkSync(outside, join(path, 'a.txt'))
  })
  const run = await stage.ended(
    await stage.ask('POST', '/runs', {
      goal: 'Write a haiku into a.txt',
      runtime: 'scripted',
      repo,
      crash_retries: 0,
      retry_budget: 0,
      on_limit: 'fail',
    }),
  )
  return link === null ? (run.file('a.txt') ?? 'precious') : readFileSync(outside, 'utf8')
}

async function plannedKinds(stage: TrustStage, evidence: object): Promise<string[]> {
  const plan = [{ key: 'a', objective: 'Do it', evidence: [evidence] }]
  const scenario = {
    plan: [[{ report: { status: 'done', summary: 'planned', plan } }]],
    steps: [{ write: { path: 'a.txt', text: 'x' } }, { report: { status: 'done', summary: 'played' } }],
  }
  const { briefs } = await stage.ended(
    await stage.ask('POST', '/runs', {
      goal: 'Plan it',
      runtime: 'scripted',
      runtime_options: { scenario },
      planner: true,
      crash_retries: 0,
      retry_budget: 0,
      on_limit: 'fail',
    }),
  )
  return briefs.filter(({ key }) => key === 'a').flatMap((brief) => brief.evidence.map(({ kind }) => kind))
}

/** Plays a scenario of our own. */
const playOurs = async (stage: TrustStage): Promise<Ended> =>
  stage.ended(
    await stage.ask('POST', '/runs', {
      goal: 'Write a haiku into a.txt',
      runtime: 'scripted',
      crash_retries: 0,
      on_limit: 'fail',
    }),
  )

async function withDaemon(
  config: string,
  environment: Record<string, string>,
  play: (stage: TrustStage) => Promise<boolean>,
): Promise<boolean> {
  const stage = await openTrustStage(config, environment)
  try {
    return await play(stage)
  } finally {
    await stage.close()
  }
}

/** Returns a PATH without bubblewrap: no directory of it has `bwrap`. */
const pathWithoutBox = (): string =>
  (process.env['PATH'] ?? '')
    .split(':')
    .filter((directory) => !exists(join(directory, 'bwrap')))
    .join(':')

async function checkedOnHost(box: 'auto' | 'required'): Promise<boolean> {
  const folder = `/var/tmp/agency-host-${process.pid}-${box}`
  const marker = `${folder}.marker`
  const repo = makeRepository(folder, (path) => writeFileSync(join(path, 'a.txt'), 'x'))
  const command = `touch '${marker}'`
  const config = `box: ${box}\nchecks: {host: [{repository: ${repo}, commands: ["${command}"]}]}`
  try {
    return await withDaemon(config, {}, async (stage) => {
      await stage.ask('POST', '/runs', {
        goal: 'Write a haiku into a.txt',
        runtime: 'scripted',
        repo,
        evidence: [{ kind: 'command', run: command }],
        retry_budget: 0,
        on_limit: 'fail',
      })
      // The refused check is repeated later, so the run does not end.
      for (const began = performance.now(); !exists(marker) && performance.now() - began < 20_000;) await pause(100)
      return exists(marker)
    })
  } finally {
    execFileSync('rm', ['-rf', folder, marker])
  }
}

function makeRepository(path: string, fill: (path: string) => void): string {
  mkdirSync(path)
  fill(path)
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...words], { cwd: path })
  git('init', '--quiet', '--initial-branch', 'main', '.')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  return path
}
