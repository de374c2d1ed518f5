// @suite process

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { listRounds } from '../../work/evidence/store.ts'
import type { Run } from '../../work/runs/contract.ts'

const report = (...outputs: string[]): StepInput => ({ report: { status: 'done', summary: 'Done.', outputs } })
const write = (path: string, text: string): StepInput => ({ write: { path, text } })
const command = (run: string) => ({ kind: 'command' as const, run })
const pass: StepInput = {
  report: { status: 'done', summary: 'Good.', verdict: { verdict: 'pass', checked: ['all'] } } as never,
}

interface Place {
  agency: TestAgency
  repository: TestRepository
  start(play: StepInput[], evidence: object[], more?: object): Promise<Run>
  gate(run: Run): Promise<void>
  rounds(run: Run): Promise<string[]>
}

async function open(files: Record<string, string> = { 'README.md': '# A\n', 'old.txt': 'old\n' }): Promise<Place> {
  const repository = makeRepository(files)
  const agency = await openAgency({ ...openRepositories(), defaults: { verify: 'auto' } })
  await agency.engine.start()
  return {
    agency,
    repository,
    start: (play, evidence, more = {}) =>
      agency.run({
        play: [play],
        evidence: evidence as never,
        repo: repository.path,
        verifierRuntime: 'scripted',
        verifierOptions: { scenario: { attempts: [[pass]] } },
        ...more,
      }),
    gate: async (run) =>
      void (await agency.until(async () =>
        (await agency.inspect(run)).gates.find(({ gate, status }) => gate === 'merge' && status === 'pending'),
      )),
    rounds: async (run) =>
      (await agency.db.read((tx) => listRounds(tx, run.id))).map(
        ({ round, item, passed }) => `${round} ${item} ${passed}`,
      ),
  }
}

/** A file outside of every place, to which commands append a line. */
function counter(): { path: string; count(): number } {
  const directory = mkdtempSync(join(tmpdir(), 'agency-count-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'count')
  return { path, count: () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0) }
}

describe('evidence that held before the work began', () => {
  it.each<[string, StepInput[], object[]]>([
    ['a command', [write('note.md', 'x'), report('note.md')], [command('test -f old.txt')]],
    ['a file', [write('note.md', 'x'), report('note.md')], [{ kind: 'file', path: 'old.txt', contains: 'old' }]],
    ['an output', [write('note.md', 'x'), report('old.txt')], [{ kind: 'artifact', path: 'old.txt' }]],
    [
      'several of them',
      [write('note.md', 'x'), report('old.txt')],
      [command('true'), { kind: 'artifact', path: 'old.txt' }],
    ],
  ])('does not replace a verifier: %s', async (_, play, evidence) => {
    const { agency, start, gate } = await open()
    const run = await start(play, evidence)
    await gate(run)
    const { briefs, attempts } = await agency.inspect(run)
    expect(briefs.map(({ kind }) => kind)).toEqual(['work', 'verify'])
    expect(briefs[0]).toMatchObject({ verify: 'agent', checkable: false })
    expect(attempts[0]?.odd).toEqual([])
    const ready = (await agency.events(run)).find(({ kind }) => kind === 'ready_for_verification')
    expect(ready).toMatchObject({
      message: 'main is ready to be verified: its evidence held before the work began, so a verifier judges it',
      data: { needs_verifier: 'its evidence held before the work began' },
    })
  })

  it('does not replace a verifier if nothing was changed at all', async () => {
    const { agency, start } = await open()
    const run = await start([report()], [command('test -f old.txt')])
    expect((await agency.settled(run)).status).toBe('done')
    expect((await agency.inspect(run)).briefs.map(({ kind }) => kind)).toEqual(['work', 'verify'])
  })

  it.each<[string, StepInput[], object[], string[]]>([
    ['a new file', [write('new.txt', 'x'), report('new.txt')], [{ kind: 'file', path: 'new.txt' }], []],
    [
      'an output with another content',
      [write('old.txt', 'x'), report('old.txt')],
      [{ kind: 'artifact', path: 'old.txt' }],
      ['before 0 false'],
    ],
    [
      'a command that failed',
      [write('old.txt', 'x'), report()],
      [command('grep x old.txt')],
      ['again 0 true', 'before 0 false'],
    ],
    [
      'one item of several',
      [write('old.txt', 'x'), report()],
      [command('true'), { kind: 'file', path: 'old.txt', contains: 'x' }],
      ['again 0 true', 'before 1 false'],
    ],
  ])('is not all of it, if the work made a difference: %s', async (_, play, evidence, further) => {
    const { agency, start, gate, rounds } = await open()
    const run = await start(play, evidence)
    await gate(run)
    expect((await agency.inspect(run)).briefs).toMatchObject([{ verify: 'none', checkable: true }])
    expect((await rounds(run)).filter((round) => !round.startsWith('delivered'))).toEqual(further)
  })

  it.each([
    ['the run', { verify: 'none' }],
    ['the brief', { briefs: [{ key: 'main', objective: 'Do it', verify: 'none' }] }],
  ])('is named in a line if %s wants no verifier', async (_, more) => {
    const { agency, start, gate } = await open()
    const run = await start([write('note.md', 'x'), report('note.md')], [command('test -f old.txt')], more)
    await gate(run)
    const { briefs, attempts } = await agency.inspect(run)
    expect(briefs).toHaveLength(1)
    expect(attempts[0]?.odd).toEqual([
      { kind: 'unchanged', path: null, text: 'No verifier has looked, and its evidence held before the work began' },
    ])
  })

  it('is looked at once for all work that begins with the same commit', async () => {
    const { agency, start, gate } = await open()
    const { path, count } = counter()
    const evidence = [command(`test -f old.txt; echo >> ${path}`)]
    const brief = (key: string) => ({
      key,
      objective: key,
      evidence,
      runtimeOptions: { scenario: { attempts: [[write(`${key}.md`, key), report()]] } },
    })
    const run = await start([], [], { briefs: [brief('one')] })
    await gate(run)
    const first = count()
    const next = await start([], [], { briefs: [brief('two')] })
    await gate(next)
    // The second run has no look at the start: only at the delivered work, and once again.
    expect([first, count() - first]).toEqual([3, 2])
    expect((await agency.inspect(next)).briefs).toHaveLength(2)
  })
})

describe('a command on the commit with which work begins', () => {
  it('is recorded with the setup that ran there, if one did', async () => {
    const place = await open({ 'package.json': '{"name": "shop", "version": "1.0.0"}\n' })
    const lock = '{"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "shop"}}}\n'
    const evidence = [command('test -f package-lock.json')]
    const run = await place.start([write('package-lock.json', lock), report()], evidence)
    await place.gate(run)
    const rounds = await place.agency.db.read((tx) => listRounds(tx, run.id))
    const of = (round: string) => rounds.find((each) => each.round === round)
    expect(of('delivered')).toMatchObject({ passed: true, setup: expect.stringContaining('npm ci') })
    expect(of('before')).toMatchObject({ passed: false, setup: null })
  })

  it('runs while the agent works', async () => {
    const { agency, start, gate } = await open()
    const { path, count } = counter()
    const run = await start([{ log: 'gate go' }, write('new.txt', 'x'), report()] as StepInput[], [
      command(`echo >> ${path}; test -f new.txt`),
    ])
    await agency.gate('go').reached
    while (count() === 0) await new Promise((resolve) => setImmediate(resolve))
    agency.gate('go').open()
    await gate(run)
    // The delivered work was looked at once, and once again; nothing more on its start.
    expect(count()).toBe(3)
    expect((await agency.inspect(run)).briefs).toMatchObject([{ verify: 'none' }])
  })
})

describe('git evidence without `since`', () => {
  it('counts only the commits of the brief itself', async () => {
    const { agency, start } = await open()
    const run = await start([write('note.md', 'x'), report()], [{ kind: 'git', changed: ['*.txt'] }], {
      retryBudget: 0,
    })
    expect((await agency.settled(run)).status).toBe('failed')
    expect((await agency.inspect(run)).evidence).toMatchObject([
      { passed: false, detail: expect.stringMatching(/^no file "\*\.txt" was committed after [0-9a-f]{40}$/) },
    ])
  })

  it('holds for a commit of its own, and replaces a verifier', async () => {
    const { agency, start, gate } = await open()
    const run = await start([write('old.txt', 'x'), report()], [{ kind: 'git', changed: ['*.txt'] }])
    await gate(run)
    expect((await agency.inspect(run)).briefs).toHaveLength(1)
  })
})

describe('a cheap command', () => {
  it('runs again in another fresh place, after those before it', async () => {
    const { start, gate, rounds } = await open()
    const run = await start(
      [write('build.sh', 'test ! -e built && touch built\n'), report()],
      [command('sh build.sh'), command('test -f built')],
    )
    await gate(run)
    expect(await rounds(run)).toEqual([
      'again 0 true',
      'again 1 true',
      'before 0 false',
      'delivered 0 true',
      'delivered 1 true',
    ])
  })

  it('does not hold if it fails the second time', async () => {
    const { start, agency } = await open()
    const { path } = counter()
    const run = await start(
      [write('flaky.sh', `echo >> ${path}; test $(wc -l < ${path}) -ne 2 || { echo unlucky; exit 1; }\n`), report()],
      [command('sh flaky.sh')],
      { retryBudget: 0 },
    )
    expect((await agency.settled(run)).status).toBe('failed')
    expect((await agency.inspect(run)).evidence[0]?.detail).toContain('(first: no output; then: unlucky)')
  })

  it('runs again without a repository too', async () => {
    const { agency } = await open()
    const { path, count } = counter()
    const run = await agency.run({
      play: [[write('a.txt', 'a'), report('a.txt')]],
      evidence: [command(`echo >> ${path}; test -f a.txt`)] as never,
    })
    expect((await agency.settled(run)).status).toBe('done')
    expect(count()).toBe(2)
  })
})

describe('a command that is not cheap', () => {
  it('runs once', async () => {
    const { agency, start, gate } = await open()
    const { path, count } = counter()
    appendFileSync(path, '')
    // The clock of the test passes ten seconds while the command waits for it.
    const run = await start(
      [write('new.txt', 'x'), report()],
      [
        command(
          `echo >> ${path}; for i in 1 2 3 4 5 6 7 8 9; do test -e ${path}.go && break; sleep 0.2; done; test -f new.txt`,
        ),
        { kind: 'file', path: 'new.txt' },
      ],
    )
    await agency.until(async () => (await agency.brief(run)).attemptId)
    while (count() === 0) await new Promise((resolve) => setImmediate(resolve))
    agency.clock.advance(10_000)
    appendFileSync(`${path}.go`, '')
    await gate(run)
    expect(count()).toBe(1)
  })
})
