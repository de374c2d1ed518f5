// @suite process

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { agentOf, type AgencyOptions, openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Attempt } from '../../work/attempts/contract.ts'
import type { Question } from '../../work/questions/contract.ts'
import type { Run } from '../../work/runs/contract.ts'

const work: StepInput[] = [
  { write: { path: 'node_modules/tiny/index.js', text: '' } },
  { write: { path: 'a.txt', text: 'a\n' } },
  { report: { status: 'done', summary: 'Done.', outputs: ['a.txt'] } },
]
const ignoring = { 'README.md': '# A\n', '.gitignore': 'node_modules\n' }
/** Passes only where the agent has installed the package, and prints nothing that names it. */
const needsPackage = 'test -f node_modules/tiny/index.js'

interface Place {
  agency: TestAgency
  repository: TestRepository
  start(run: string[], more?: object): Promise<Run>
  question(run: Run): Promise<Question>
  gate(run: Run): ReturnType<TestAgency['gates']['ofRun']>
}

async function open(files: Record<string, string> = ignoring, options: (path: string) => AgencyOptions = () => ({})) {
  const repository = makeRepository(files)
  const agency = await openAgency({
    ...openRepositories(),
    defaults: { onLimit: 'ask' },
    ...options(repository.path),
  })
  await agency.engine.start()
  const place: Place = {
    agency,
    repository,
    start: (commands, more = {}) =>
      agency.run({
        play: [work],
        evidence: commands.map((run) => ({ kind: 'command' as const, run })),
        repo: repository.path,
        ...more,
      }),
    question: (run) =>
      agency.until(async () => (await agency.inspect(run)).questions.find(({ answeredAt }) => answeredAt === null)),
    gate: (run) =>
      agency.until(async () => {
        const found = await agency.gates.ofRun(run.id)
        return found.gates.some(({ gate, status }) => gate === 'merge' && status === 'pending') && found
      }),
  }
  return place
}

const warning = 'Checked in the agent’s workspace, not in a fresh checkout: untracked files may have helped (main)'

describe('a repository whose fresh checkouts cannot be checked', () => {
  it('is asked about, and its work is checked in the agent’s workspace if the operator says so', async () => {
    const { agency, repository, start, question, gate } = await open()
    const run = await start([needsPackage])
    const asked = await question(run)
    expect(asked).toMatchObject({
      class: 'checks',
      text: `The check cannot run in a fresh checkout: \`${needsPackage}\` fails on main as well (exit code 1, expected 0).`,
    })
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', retriesUsed: 0 })
    await agency.questions.answer(operator, asked.id, 'workspace')
    const [opened] = (await gate(run)).gates
    expect(opened?.summary.anomalies).toContain(warning)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'ok', checkedIn: 'workspace' }])
    await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
    expect((await agency.settled(run)).status).toBe('done')
    expect(repository.git('ls-tree', '--name-only', 'HEAD').split('\n')).toEqual(['.gitignore', 'README.md', 'a.txt'])
    // The answer is remembered: the next run asks nothing.
    const more: StepInput[] = [{ write: { path: 'b.txt', text: 'b\n' } }, ...work]
    const next = await start([needsPackage], { play: [more] })
    await gate(next)
    expect((await agency.inspect(next)).questions).toEqual([])
  })

  it('is set up by the command that the operator answers', async () => {
    const { agency, start, question, gate } = await open()
    const run = await start([needsPackage])
    const setup = 'mkdir -p node_modules/tiny && touch node_modules/tiny/index.js'
    await agency.questions.answer(operator, (await question(run)).id, setup)
    const [opened] = (await gate(run)).gates
    expect(opened?.summary.anomalies).not.toContain(warning)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'ok', checkedIn: 'checkout' }])
    expect(await agency.repositorySettings.show(run.repository?.path ?? '')).toMatchObject({ setup })
  })

  it('holds no work that is checked again for another reason, and then done again', async () => {
    const { agency, start, question } = await open()
    const flag = join(makeRepository({ 'README.md': '# B\n' }).path, 'refused')
    await question(await start([needsPackage]))
    const run = await start([`test ! -f ${flag} && ${needsPackage}`], {
      play: [[{ log: 'gate doubt' }, ...work], work],
    })
    await agency.gate('doubt').reached
    const [attempt] = (await agency.inspect(run)).attempts
    const by = agentOf(attempt as Attempt)
    const note = await agency.notes.add(by, { description: 'Is it right?', context: '', status: 'open' })
    await agency.notes.escalate(by, { noteId: note.noteId, reason: 'I may not decide.' })
    agency.gate('doubt').open()
    await agency.until(async () => (await agency.brief(run)).status === 'blocked')
    // The work of the second run waits for the question of the first; its own question is answered before.
    writeFileSync(flag, '')
    await agency.questions.answer(operator, (await question(run)).id, 'confirm')
    await agency.until(async () => (await agency.brief(run)).retriesUsed === 1)
    expect((await agency.brief(run)).heldBy).toBeNull()
    await agency.until(async () => (await agency.brief(run)).attempts === 2)
  })

  describe('by the words of an output only', () => {
    /** A server of the work itself, on a port where nothing listens on the base either. */
    const serves = 'test -f right.txt || { echo connect ECONNREFUSED 127.0.0.1:4999; exit 1; }'
    const right: StepInput[] = [{ write: { path: 'right.txt', text: 'right' } }, ...work]

    it('has its agent corrected if the operator says so, and asks nothing more about that brief', async () => {
      const { agency, start, question, gate } = await open()
      const run = await start([serves], { play: [work, work, right] })
      await agency.questions.answer(operator, (await question(run)).id, 'agent')
      await gate(run)
      const { attempts, questions } = await agency.inspect(run)
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['bad_output', 'bad_output', 'ok'])
      expect(questions).toHaveLength(1)
    })

    it('has its agent corrected in a run without questions', async () => {
      const { agency, start, gate } = await open()
      const run = await start([serves], { play: [work, right], onLimit: 'fail' })
      await gate(run)
      expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'bad_output' }, { outcome: 'ok' }])
    })

    it('has its agent corrected for a setup that writes them, if the operator says so', async () => {
      const { agency, start, question, gate } = await open({ ...ignoring, 'deps.sh': 'exit 0\n' })
      const wrong: StepInput[] = [{ write: { path: 'deps.sh', text: 'echo ECONNREFUSED; exit 1\n' } }, ...work]
      const mended: StepInput[] = [{ write: { path: 'deps.sh', text: 'exit 0\n' } }, ...work]
      const run = await start(['true'], { play: [wrong, mended], setup: 'sh deps.sh' })
      const asked = await question(run)
      expect(asked.text).toContain('`sh deps.sh` cannot reach a server that it needs')
      await agency.questions.answer(operator, asked.id, 'Send it back to the agent')
      await gate(run)
      expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'bad_output' }, { outcome: 'ok' }])
    })
  })

  it('is asked about if its setup fails on the base as well', async () => {
    const { start, question } = await open()
    const asked = await question(await start(['true'], { setup: 'echo E401 >&2; exit 1' }))
    expect(asked.text).toMatch(
      /^The check cannot run in a fresh checkout: `echo E401 .*` fails on main as well \(.*\)\.$/,
    )
  })
})

describe('a repository with paths to check', () => {
  it('is checked out with these only', async () => {
    const { agency, repository, start, gate } = await open({ ...ignoring, 'big/a': 'a', 'small/b': 'b' })
    await agency.repositorySettings.set(operator, { path: repository.path, paths: ['small'] })
    const run = await start(['test -f small/b && test ! -e big'])
    await gate(run)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'ok', checkedIn: 'checkout' }])
  })

  it('delivers files outside of them, which are looked at and compared all the same', async () => {
    const { agency, repository, start, gate } = await open({ ...ignoring, 'big/a': 'a', 'small/b': 'b' })
    await agency.repositorySettings.set(operator, { path: repository.path, paths: ['small'] })
    const run = await start([], {
      evidence: [
        { kind: 'file', path: 'a.txt', contains: 'a' },
        { kind: 'artifact', path: 'a.txt' },
        {
          kind: 'git',
          since: repository.git('rev-parse', 'HEAD'),
          clean: true,
          unchanged: ['big/**'],
          changed: ['a.txt'],
        },
        { kind: 'command', run: 'test -f small/b && test ! -e big && test ! -e a.txt' },
      ],
    })
    await gate(run)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'ok', checkedIn: 'checkout' }])
  })

  it('does not deliver a file outside of them that git ignores', async () => {
    const { agency, repository, start } = await open({ ...ignoring, 'small/b': 'b' })
    await agency.repositorySettings.set(operator, { path: repository.path, paths: ['small'] })
    const path = 'node_modules/tiny/index.js'
    const run = await start([], { evidence: [{ kind: 'file', path, minBytes: 0 }] })
    const [first] = await agency.until(async () => {
      const { attempts } = await agency.inspect(run)
      return attempts.some(({ outcome }) => outcome !== null) && attempts
    })
    expect(first).toMatchObject({ outcome: 'bad_output', detail: expect.stringContaining('is missing') })
  })
})

describe('an agent', () => {
  it('gets the name of the file that its commit lacks, and no person is asked', async () => {
    const { agency, start, gate } = await open({ ...ignoring, 'test.js': '' })
    const lazy: StepInput[] = [{ write: { path: 'test.js', text: "require('tiny')" } }, ...work]
    const right: StepInput[] = [{ write: { path: 'test.js', text: '' } }, ...work]
    const run = await start(['node test.js'], { play: [lazy, right] })
    await gate(run)
    const { attempts, questions } = await agency.inspect(run)
    expect(questions).toEqual([])
    expect(attempts).toMatchObject([{ outcome: 'bad_output' }, { outcome: 'ok', checkedIn: 'checkout' }])
    expect(agency.prompts.get(attempts[1]?.id ?? '')).toContain(
      'it holds where you worked, but not in a fresh checkout of your commit: node_modules/tiny is neither committed nor installed by a setup',
    )
  })

  it('learns that its commit breaks the setup', async () => {
    const { agency, start } = await open({ 'deps.sh': 'exit 0\n' })
    const breaking: StepInput[] = [{ write: { path: 'deps.sh', text: 'exit 7\n' } }, ...work]
    const run = await start(['true'], { play: [breaking], setup: 'sh deps.sh', retryBudget: 0, onLimit: 'fail' })
    await agency.settled(run)
    const [check] = (await agency.inspect(run)).evidence
    expect(check?.detail).toMatch(/^not run: `sh deps.sh` fails on your commit, but not on main/)
  })
})

describe('a repository of config.yaml', () => {
  it('has its listed commands run on the host, and all others in a fresh checkout', async () => {
    const listed = 'test -f prepared-on-host'
    const { agency, start, gate } = await open(ignoring, (path) => ({
      hostChecks: new Map([[path, { commands: [listed], setup: 'touch prepared-on-host' }]]),
    }))
    const run = await start([listed, 'test ! -f prepared-on-host'])
    const [opened] = (await gate(run)).gates
    expect(opened?.summary.anomalies).toContain(
      'Checked on the host, outside any box, by commands of config.yaml (main)',
    )
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'ok', checkedIn: 'host' }])
  })

  it.each([
    ['no-such-program test', null, '`no-such-program test` cannot run on main either'],
    ['true', 'echo no daemon >&2; exit 1', '`echo no daemon >&2; exit 1` fails on main as well'],
    ['echo connection refused; exit 1', null, '`echo connection refused; exit 1` fails on main as well'],
  ])('is asked about if %s cannot run on the host for the base either', async (listed, setup, what) => {
    const { agency, start, question } = await open(ignoring, (path) => ({
      hostChecks: new Map([[path, { commands: [listed], setup }]]),
    }))
    const run = await start([listed, 'true # in the box'])
    const asked = await question(run)
    expect(asked.text).toContain(`The check cannot run on the host: ${what} (`)
    expect(asked.options.map(({ key }) => key)).toEqual(['retry', 'agent', 'abandon'])
    expect(asked.context).not.toContain('remembered')
    expect(await agency.brief(run)).toMatchObject({ status: 'blocked', retriesUsed: 0 })
  })

  it('does not take an answer about the host for a setup command, which would run in fresh checkouts', async () => {
    const { agency, repository, start, question } = await open(ignoring, (path) => ({
      hostChecks: new Map([[path, { commands: ['no-such-program'], setup: null }]]),
    }))
    const asked = await question(await start(['no-such-program']))
    for (const answer of ['Docker runs again', 'workspace'])
      await expect(agency.questions.answer(operator, asked.id, answer)).rejects.toMatchObject({
        code: 'invalid_input',
        message: `"${answer}" is not one of the options: retry, agent, abandon`,
      })
    expect(await agency.repositorySettings.show(repository.path)).toMatchObject({ setup: null })
  })

  it('has its agent corrected if a command on the host fails for its commit only', async () => {
    const listed = 'test -f right.txt'
    const { agency, start, gate } = await open(ignoring, (path) => ({
      hostChecks: new Map([[path, { commands: [listed], setup: null }]]),
    }))
    const right: StepInput[] = [{ write: { path: 'right.txt', text: 'right' } }, ...work]
    const run = await start([listed], { play: [work, right] })
    await gate(run)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ outcome: 'bad_output' }, { outcome: 'ok' }])
  })

  it('is checked in a fresh checkout if no listed command is evidence', async () => {
    const { agency, start, gate } = await open(ignoring, (path) => ({
      hostChecks: new Map([[path, { commands: ['make test'], setup: null }]]),
    }))
    const run = await start(['true'])
    await gate(run)
    expect((await agency.inspect(run)).attempts).toMatchObject([{ checkedIn: 'checkout' }])
  })
})
