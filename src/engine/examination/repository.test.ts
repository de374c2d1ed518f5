// @suite process

import { describe, expect, it } from 'vitest'

import { openAgency, opened, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { Evidence } from '../../work/evidence/contract.ts'
import type { Run } from '../../work/runs/contract.ts'

const report = (...outputs: string[]): StepInput => ({ report: { status: 'done', summary: 'Done.', outputs } })
const write = (path: string, text: string): StepInput => ({ write: { path, text } })
const command = (run: string) => ({ kind: 'command' as const, run })

interface Place {
  agency: TestAgency
  repository: TestRepository
  start(play: StepInput[][], evidence: Partial<Evidence>[], more?: object): Promise<Run>
  /** Approves the merge and resolves to the ended run. */
  merged(run: Run): Promise<Run>
}

async function open(files?: Record<string, string>): Promise<Place> {
  const repository = makeRepository(files)
  const agency = await openAgency(openRepositories())
  await agency.engine.start()
  return {
    agency,
    repository,
    start: (play, evidence, more = {}) =>
      agency.run({ play, evidence: evidence as never, repo: repository.path, ...more }),
    merged: async (run) => {
      await agency.until(async () => (await agency.inspect(run)).gates[0])
      await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
      return agency.settled(run)
    },
  }
}

describe('the evidence of work in a repository', () => {
  it('is not met by a file that git does not deliver', async () => {
    const { agency, start } = await open({ 'README.md': '# A\n', '.gitignore': 'dist/\n' })
    const run = await start(
      [[write('dist/app.js', 'ok\n'), write('src/app.js', 'ok\n'), report()]],
      [{ kind: 'file', path: 'dist/app.js' }, command('test -f dist/app.js')],
      { retryBudget: 0 },
    )
    expect((await agency.settled(run)).status).toBe('failed')
    const { attempts, evidence } = await agency.inspect(run)
    expect(attempts).toMatchObject([{ outcome: 'bad_output', checkedIn: 'checkout' }])
    expect(evidence.map(({ passed }) => passed)).toEqual([false, false])
  })

  it('is not met by a file that an evidence command makes', async () => {
    const { agency, start } = await open()
    const run = await start(
      [[write('build.sh', 'echo made > made.txt\n'), report()]],
      [command('sh build.sh'), { kind: 'file', path: 'made.txt' }],
      { retryBudget: 0 },
    )
    await agency.settled(run)
    expect((await agency.inspect(run)).evidence.map(({ passed }) => passed)).toEqual([true, false])
  })

  it('leaves nothing behind that a later attempt would commit', async () => {
    const { repository, start, merged } = await open()
    const run = await start(
      [
        [write('first.txt', '1\n'), report()],
        [write('second.txt', '2\n'), report()],
      ],
      [command('echo x > coverage.tmp; test -f second.txt')],
    )
    expect((await merged(run)).status).toBe('done')
    expect(repository.git('ls-tree', '--name-only', 'HEAD').split('\n')).toEqual([
      'README.md',
      'first.txt',
      'second.txt',
    ])
  })

  it('is not met by the HOME of the agent', async () => {
    const { agency, start } = await open()
    const run = await start(
      [[{ run: 'echo yes > "$HOME/trick"' }, write('a.txt', 'a\n'), report()] as StepInput[]],
      [command('test -f "$HOME/trick"')],
      { retryBudget: 0 },
    )
    await agency.settled(run)
    expect((await agency.inspect(run)).evidence.map(({ passed }) => passed)).toEqual([false])
  })

  it('may rewrite a reported file: a verifier still finds the hash that it is told', async () => {
    const { agency, start, merged } = await open()
    const verdict: StepInput = {
      report: {
        status: 'done',
        summary: 'Good.',
        verdict: { verdict: 'pass', checked: opened('a.txt') },
      } as never,
    }
    const run = await start([[write('a.txt', 'a\n'), report('a.txt')]], [command('echo formatted >> a.txt')], {
      verify: 'all',
      verifierRuntime: 'scripted',
      verifierOptions: { scenario: { attempts: [[verdict]] } },
    })
    expect((await merged(run)).status).toBe('done')
    const { attempts } = await agency.inspect(run)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
  })

  it('of the rest of a partial brief is seen by its verifier', async () => {
    const { agency, start, merged } = await open()
    const looks = (...checked: string[]) => [
      { report: { status: 'done', summary: 'Looked.', verdict: { verdict: 'pass', checked: opened(...checked) } } },
    ]
    const part = { status: 'partial', summary: 'Half.', remaining: 'Write b.md', outputs: ['a.md'] } as const
    const scenario = {
      attempts: [
        [write('a.md', 'a\n'), { report: part }],
        [write('b.md', 'b\n'), report('b.md')],
      ],
      verify: [looks('a.md'), looks('b.md', 'a.md')],
    }
    const evidence = ['a.md', 'b.md'].map((path) => ({ kind: 'file', path }))
    const run = await start([], [], {
      briefs: [{ key: 'main', objective: 'Write both', evidence }],
      verify: 'all',
      runtimeOptions: { scenario },
    })
    expect((await merged(run)).status).toBe('done')
    expect((await agency.inspect(run)).attempts.map(({ outcome }) => outcome)).toEqual([
      'partial_output',
      'ok',
      'ok',
      'ok',
    ])
  })
})

describe('the clone of a verifier', () => {
  const pass = (...checked: string[]): StepInput => ({
    report: { status: 'done', summary: 'Looked.', verdict: { verdict: 'pass', checked: opened(...checked) } } as never,
  })
  const judged = (...verify: StepInput[][]) => ({
    verify: 'all',
    verifierRuntime: 'scripted',
    verifierMode: 'yolo',
    verifierOptions: { scenario: { attempts: [[]], verify } },
  })
  const files = { 'README.md': '# A\n', 'src/app.js': 'ok\n' }

  it('may get new files, but a changed file of the commit makes its verdict bad output, never the work', async () => {
    const { agency, start, merged } = await open(files)
    const run = await start(
      [[write('a.txt', 'a text of some length\n'), report('a.txt')]],
      [{ kind: 'file', path: 'a.txt' }],
      judged(
        [write('src/app.js', 'mended\n'), pass('a.txt')],
        [write('coverage/index.html', 'built\n'), { run: 'git status >/dev/null' } as StepInput, pass('a.txt')],
      ),
    )
    expect((await merged(run)).status).toBe('done')
    const { attempts, briefs } = await agency.inspect(run)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'bad_output', 'ok'])
    expect(attempts[1]?.detail).toContain('the verifier changed "src/app.js" in its place; a verifier only reads')
    expect(briefs[0]).toMatchObject({ verificationFailures: 0, retriesUsed: 0 })
    expect(briefs[1]?.corrections).toMatchObject([
      { evidence: 'the judged files', detail: expect.stringContaining('restore it before you report') },
    ])
  })

  it.each([
    ['shows which changed files its verifier has not opened', ['README.md'], ['test/a.test.js', 'src/app.js']],
    ['shows nothing if it has opened all of them', ['README.md', 'src/app.js', 'test/a.test.js'], []],
  ])('%s', async (_, checked, missed) => {
    const { agency, start } = await open({ ...files, 'test/a.test.js': 'a\n', 'old.js': 'old\n' })
    const work = [
      write('src/app.js', 'something else\n'),
      write('test/a.test.js', 'no test at all\n'),
      write('README.md', 'This is the shop.\n'),
      { run: 'rm old.js' } as StepInput,
      report('README.md'),
    ]
    const run = await start([work], [], judged([pass(...checked)]))
    const gate = await agency.until(async () =>
      (await agency.inspect(run)).gates.find(({ gate: name, status }) => name === 'merge' && status === 'pending'),
    )
    const lines = missed.length === 0 ? [] : [`the verifier opened 1 of 3 changed files; not: ${missed.join(', ')}`]
    const { attempts } = await agency.inspect(run)
    expect(
      attempts.flatMap(({ odd }) => odd.filter(({ kind }) => kind === 'unopened')).map(({ text }) => text),
    ).toEqual(lines)
    const anomalies = gate.summary.anomalies.filter((each) => each.includes('opened'))
    expect(anomalies).toEqual(lines.map((line) => `main: ${line}`))
  })

  it('may be restored after a test has rewritten a file', async () => {
    const { agency, start, merged } = await open(files)
    const run = await start(
      [[write('a.txt', 'a text of some length\n'), report('a.txt')]],
      [{ kind: 'file', path: 'a.txt' }],
      judged([write('src/app.js', 'rewritten\n'), { run: 'git checkout -q -- src' } as StepInput, pass('a.txt')]),
    )
    expect((await merged(run)).status).toBe('done')
    expect((await agency.inspect(run)).attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
  })
})
