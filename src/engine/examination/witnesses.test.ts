// @suite process

import { describe, expect, it } from 'vitest'

import { type AgencyOptions, openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { listRounds } from '../../work/evidence/store.ts'
import type { Run } from '../../work/runs/contract.ts'
import { operator } from '../../../test/support/work.ts'

const report = (...outputs: string[]): StepInput => ({ report: { status: 'done', summary: 'Done.', outputs } })
const write = (path: string, text: string): StepInput => ({ write: { path, text } })

/** A shop whose test asks for a total that the code does not compute yet. */
const shop = {
  'package.json': JSON.stringify({ scripts: { test: 'node test/cart.test.js' } }),
  'cart.js': 'module.exports = (prices) => prices[0]\n',
  'test/cart.test.js': "if (require('../cart.js')([1, 2]) !== 3) { console.log('wrong total'); process.exit(1) }\n",
}
const right = write('cart.js', 'module.exports = (prices) => prices.reduce((sum, price) => sum + price, 0)\n')

interface Place {
  agency: TestAgency
  repository: TestRepository
  start(play: StepInput[], more?: object): Promise<Run>
  /** Resolves when the gate before the merge is open. */
  gate(run: Run): Promise<void>
}

async function open(files: Record<string, string> = shop, options: AgencyOptions = {}): Promise<Place> {
  const repository = makeRepository(files)
  const agency = await openAgency({ ...openRepositories(), ...options })
  await agency.engine.start()
  return {
    agency,
    repository,
    start: (play, more = {}) =>
      agency.run({
        play: [[...play, report()]],
        evidence: [{ kind: 'command', run: 'npm test' }] as never,
        repo: repository.path,
        ...more,
      }),
    gate: async (run) =>
      void (await agency.until(async () =>
        (await agency.inspect(run)).gates.find(({ gate, status }) => gate === 'merge' && status === 'pending'),
      )),
  }
}

const oddOf = async ({ agency }: Place, run: Run): Promise<string[]> =>
  ((await agency.inspect(run)).attempts.at(-1)?.odd ?? []).map(({ kind, text }) => `${kind}: ${text}`)

describe('changes of files on which evidence rests', () => {
  it('are recorded with the attempt and its event', async () => {
    const place = await open()
    const run = await place.start([right, write('.npmrc', 'fund=false\n'), write('test/more.test.js', '')])
    await place.gate(run)
    expect(await oddOf(place, run)).toEqual(['tools: .npmrc is new: the package manager reads it by itself'])
    const ended = (await place.agency.events(run)).find(({ kind }) => kind === 'turn_ended')
    expect(ended?.data).toMatchObject({ odd: ['.npmrc is new: the package manager reads it by itself'] })
  })

  it('include submodules that point to another commit, and text that no diff shows any more', async () => {
    const place = await open()
    const link = (commit: string) => `git update-index --add --cacheinfo 160000,${commit.repeat(40)},vendor/lib`
    place.repository.run('sh', '-c', link('1'))
    place.repository.git('commit', '--quiet', '-m', 'Add a submodule')
    const sum = 'module.exports = (prices) => prices.reduce((sum, price) => sum + price, 0)'
    const run = await place.start([
      write('cart.js', `${sum} // \0\n`),
      write('logo.png', '\0'),
      { run: `${link('2')}; git add cart.js logo.png; git -c user.name=A -c user.email=a@b commit -qm x` } as StepInput,
    ])
    await place.gate(run)
    expect(await oddOf(place, run)).toEqual([
      'submodule: vendor/lib: the submodule points to another commit; its files were not checked',
      'binary: cart.js is binary now: no diff shows it',
    ])
  })

  it('include links that lead out, and submodules that run programs; both are at the gate', async () => {
    const place = await open()
    const run = await place.start([
      right,
      { run: 'ln -s /etc/passwd notes.txt; ln -s cart.js basket.js' } as StepInput,
      write('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ext::sh run.sh\n'),
    ])
    await place.gate(run)
    const odd = [
      'link: notes.txt leads to "/etc/passwd", outside the repository',
      'submodule: .gitmodules: url "ext::sh run.sh" runs a program',
    ]
    expect(await oddOf(place, run)).toEqual([expect.stringMatching(/^tools: .gitmodules is new/), ...odd])
    const gate = (await place.agency.inspect(run)).gates.find((each) => each.gate === 'merge')
    for (const line of odd)
      expect(JSON.stringify(gate)).toContain(JSON.stringify(line.replace(/^\w+: /, '')).slice(1, -1))
  })

  it('are none in honest work', async () => {
    const place = await open()
    const run = await place.start([right, write('test/more.test.js', ''), write('docs/cart.md', '# Cart\n')])
    await place.gate(run)
    expect(await oddOf(place, run)).toEqual([])
  })

  it('share a line if a folder of tests was renamed', async () => {
    const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`test/${name}.js`, `// ${name}\n`]))
    const place = await open({ ...shop, ...files })
    const moved = JSON.stringify({ scripts: { test: 'node tests/cart.test.js' } })
    const run = await place.start([right, { run: 'git mv test tests' } as StepInput, write('package.json', moved)])
    await place.gate(run)
    expect(await oddOf(place, run)).toEqual([
      'scripts: package.json: the script "test" was changed',
      'tests: 5 test files were moved: test/a.js, test/b.js, test/c.js and 2 more',
    ])
  })

  it('do not include those of other briefs that were merged', async () => {
    const place = await open()
    const changesTest = [write('test/cart.test.js', `${shop['test/cart.test.js']}// changed\n`), report()]
    const brief = (key: string, attempts: StepInput[][], after: string[] = []) => ({
      key,
      objective: key,
      after,
      runtimeOptions: { scenario: { attempts } },
      evidence: [{ kind: 'command', run: 'npm test' }],
    })
    const run = await place.start([], {
      briefs: [brief('one', [[right, ...changesTest]]), brief('two', [[write('b.txt', 'b\n'), report()]], ['one'])],
    })
    await place.gate(run)
    const { attempts, briefs } = await place.agency.inspect(run)
    const oddIn = (key: string) =>
      attempts.find(({ id }) => id === briefs.find((each) => each.key === key)?.attemptId)?.odd.map(({ text }) => text)
    expect(oddIn('one')).toEqual(['test/cart.test.js was changed'])
    expect(oddIn('two')).toEqual(['No verifier has looked, and its evidence held before the work began'])
  })

  it('stay after a rejection if the agent merges the result that contains its own earlier work', async () => {
    const place = await open()
    const mergesItself = {
      run: `git merge -q --no-edit $(git --git-dir="$(dirname "$(cat .git/objects/info/alternates)")" for-each-ref --format='%(objectname)' refs/heads/integration)`,
    } as StepInput
    const run = await place.start([], {
      play: [
        [write('cart.js', '// 0\n'), write('test/cart.test.js', ''), report()],
        [mergesItself, write('README.md', '# Shop\n'), report()],
      ],
    })
    await place.gate(run)
    const first = await oddOf(place, run)
    expect(first).toHaveLength(2)
    await place.agency.gates.reject(operator, { target: run.id, gate: 'merge', reason: 'README.md is missing' })
    await place.agency.until(async () => (await place.agency.inspect(run)).attempts.length === 2)
    await place.gate(run)
    expect(place.agency.prompts.size).toBe(2)
    expect(await oddOf(place, run)).toEqual(first)
  })
})

describe('evidence with the tests, scripts and settings of the start', () => {
  const lie = write('test/cart.test.js', '')
  const roundsOf = async ({ agency }: Place, run: Run) =>
    (await agency.db.read((tx) => listRounds(tx, run.id))).map(({ round, passed }) => `${round} ${passed}`)

  it.each<[string, StepInput[], string]>([
    ['a test that expects nothing', [lie], 'test/cart.test.js'],
    [
      'a test that is a link',
      [{ run: 'rm test/cart.test.js; ln -s ../cart.js test/cart.test.js' } as StepInput],
      'test/cart.test.js',
    ],
    [
      'a script that does nothing',
      [write('package.json', JSON.stringify({ scripts: { test: 'true' } }))],
      'package.json',
    ],
    [
      'a hook before the script',
      [
        write(
          'package.json',
          JSON.stringify({ scripts: { pretest: 'echo > test/cart.test.js', test: 'node test/cart.test.js' } }),
        ),
      ],
      'package.json',
    ],
    ['a shell that does nothing', [write('.npmrc', 'script-shell=/bin/true\n')], '.npmrc'],
  ])('does not hold for %s, and one line says so', async (_, steps, path) => {
    const place = await open()
    const run = await place.start([...steps, write('cart.txt', 'x')])
    await place.gate(run)
    const odd = await oddOf(place, run)
    expect(odd.at(-1)).toBe(
      `bent: \`npm test\` holds only with its own ${path}; with the files that it began with: exit code 1, expected 0: > test / > node test/cart.test.js / wrong total`,
    )
    expect(await roundsOf(place, run)).toEqual(['again true', 'base_witnesses false', 'before false', 'delivered true'])
    const { evidence } = await place.agency.inspect(run)
    expect(evidence).toMatchObject([
      { round: 'delivered', passed: true, commitId: expect.stringMatching(/^[0-9a-f]{40}$/) },
    ])
  })

  it('does not hold for a document that fits only its own schema', async () => {
    const place = await open({ 'order.schema.json': '{"required": ["id"]}' })
    const run = await place.start([write('order.schema.json', '{}'), write('order.json', '{}')], {
      evidence: [{ kind: 'schema', path: 'order.json', schemaPath: 'order.schema.json' }],
    })
    await place.gate(run)
    expect((await oddOf(place, run)).at(-1)).toMatch(
      /^bent: schema of order.json holds only with its own order.schema.json; with the files that it began with: .*required/,
    )
  })

  it('holds for a test that was changed beside the code', async () => {
    const place = await open()
    const stricter = write('test/cart.test.js', `${shop['test/cart.test.js']}// more\n`)
    const run = await place.start([right, stricter])
    await place.gate(run)
    expect(await oddOf(place, run)).toEqual(['tests: test/cart.test.js was changed'])
    expect(await roundsOf(place, run)).toEqual(['base_witnesses true', 'before false', 'delivered true'])
  })

  it('is not looked at if nothing was changed that a command depends on', async () => {
    const place = await open()
    const run = await place.start([right, write('CLAUDE.md', '# Notes\n'), write('.gitignore', 'dist\n')])
    await place.gate(run)
    expect(await oddOf(place, run)).toHaveLength(2)
    expect(await roundsOf(place, run)).toEqual(['again true', 'before false', 'delivered true'])
  })

  it('says that it could not be looked at if the scripts of the start name a program that is gone', async () => {
    const place = await open({ ...shop, 'package.json': JSON.stringify({ scripts: { test: 'no-such-runner' } }) })
    const run = await place.start([right, write('package.json', shop['package.json'])])
    await place.gate(run)
    const [, line, ...others] = await oddOf(place, run)
    expect(others).toEqual([])
    expect(line).toMatch(
      /^scripts: The evidence could not be checked with the files that it began with instead of package.json: `npm test`: exit code 127/,
    )
  })

  it('says that it could not be looked at if the setup fails there', async () => {
    const place = await open({ ...shop, '.npmrc': '' })
    const run = await place.start([right, write('.npmrc', 'fund=false\n')], { setup: 'test -s .npmrc' })
    await place.gate(run)
    expect((await oddOf(place, run)).at(-1)).toContain('the setup "test -s .npmrc" failed')
  })
})

describe('a protected file', () => {
  it('may not be changed, and nothing of such work enters the mirror', async () => {
    const place = await open()
    const run = await place.start([], {
      play: [
        [right, write('test/cart.test.js', ''), report()],
        [{ run: 'git checkout HEAD~1 -- test/cart.test.js' } as StepInput, report()],
      ],
      protected: ['test'],
    })
    await place.gate(run)
    const { attempts } = await place.agency.inspect(run)
    expect(attempts).toMatchObject([
      { outcome: 'bad_output', detail: expect.stringContaining('test/cart.test.js may not be changed') },
      { outcome: 'ok', odd: [] },
    ])
    expect(place.agency.prompts.get(attempts[1]?.id ?? '')).toContain('the operator protects it')
  })

  it('is refused without a repository', async () => {
    const { agency } = await open()
    await expect(agency.run({ protected: ['test'] })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
