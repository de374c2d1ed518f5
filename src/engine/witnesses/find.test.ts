import { describe, expect, it } from 'vitest'

import { command, type Files, find, lines, npmTest } from '../../../test/support/witnesses.ts'
import type { Evidence } from '../../work/evidence/contract.ts'

const shop: Files = {
  'src/cart.js': '1',
  'test/cart.test.js': '1',
  'package.json': JSON.stringify({ scripts: { test: 'node --test' }, dependencies: { a: '1.0.0' } }),
}

describe('code that a setup runs', () => {
  const scripts = { test: 'node --test', prepare: 'npm run build', build: 'node tools/build.js --all' }
  const built = { ...shop, 'tools/build.js': '1', 'package.json': JSON.stringify({ scripts }) }

  it('is odd if an installation runs it by itself', async () => {
    expect(await lines(built, { ...built, 'tools/build.js': '2', 'src/cart.js': '2' })).toEqual([
      'scripts: tools/build.js was changed',
    ])
  })

  it('is odd if the declared command names it', async () => {
    const before = { ...shop, 'deps.py': '1' }
    expect(await lines(before, { ...before, 'deps.py': '2' }, { setup: 'python3 ./deps.py' })).toEqual([
      'scripts: deps.py was changed',
    ])
  })

  it('is the work itself if the brief asks for it', async () => {
    const after = { ...built, 'tools/build.js': '2' }
    expect(await lines(built, after, { asked: 'Mend tools/build.js' })).toEqual([])
  })
})

describe('new tests', () => {
  const newTests = async (...args: Parameters<typeof find>): Promise<string[]> =>
    (await find(...args)).newTests.map(({ path }) => path)

  it('are listed beside older ones of their package', async () => {
    expect(await newTests(shop, { ...shop, 'test/more.test.js': '1', 'src/more.js': '1' })).toEqual([
      'test/more.test.js',
    ])
  })

  it.each<[string, Files, Files, Evidence]>([
    ['a package without older ones', { ...shop, 'b/package.json': '{}' }, { 'b/test/b.test.js': '1' }, npmTest],
    ['a repository without older ones', { 'cart.js': '1' }, { 'cart.test.js': '1' }, npmTest],
    ['a command that names them', shop, { 'test/more.test.js': '1' }, command('node test/more.test.js')],
  ])('are needed in %s', async (_where, before, added, evidence) => {
    expect(await newTests(before, { ...before, ...added }, { evidence: [evidence] })).toEqual([])
  })
})

describe('files that checks reach in other ways', () => {
  const test = command('npm test')
  const withScript = (script: string, more: Files = {}): Files => ({
    'cart.js': '1',
    'package.json': JSON.stringify({ scripts: { test: script } }),
    ...more,
  })

  it.each<[string, Files, Files, Evidence, string]>([
    [
      'a glob that the runner is given',
      withScript('node --test "unit/*.js"', { 'unit/cart.js': '1' }),
      { 'unit/cart.js': '2' },
      test,
      'tests: unit/cart.js was changed',
    ],
    [
      'a directory that the runner is given',
      withScript('mocha unit', { 'unit/cart.js': '1' }),
      { 'unit/cart.js': '2' },
      test,
      'tests: unit/cart.js was changed',
    ],
    [
      'a rare module of Python',
      { 'cart.py': '1', 'test_cart.py': '1' },
      { 'gettext.py': '1' },
      command('python3 -m unittest'),
      'tools: gettext.py is new: Python loads it instead of its own module',
    ],
    [
      'a link in the place of a module',
      { 'cart.py': '1', 'helpers/__init__.py': '1' },
      { unittest: '-> helpers' },
      command('python3 -m unittest'),
      'tools: unittest is new: Python loads it instead of its own module',
    ],
    [
      'a link in the place of installed packages',
      shop,
      { node_modules: '-> vendor' },
      test,
      'tools: node_modules is new: it stands before installed packages',
    ],
    [
      'a module in the directory of the command',
      { 'backend/test_cart.py': '1' },
      { 'backend/unittest.py': '1' },
      command('cd backend && python3 -m unittest'),
      'tools: backend/unittest.py is new: Python loads it instead of its own module',
    ],
    [
      'a file that a makefile includes',
      { Makefile: '-include local.mk\ntest:\n\t$(RUN) true\n' },
      { 'local.mk': 'RUN=@true' },
      command('make test'),
      'tools: local.mk is new: a makefile may include it',
    ],
    [
      'a workspace that is taken out',
      { 'package.json': JSON.stringify({ workspaces: ['a', 'b'] }) },
      { 'package.json': JSON.stringify({ workspaces: ['a'] }) },
      test,
      'scripts: package.json: the workspace "b" was removed',
    ],
    [
      'a package.json below an existing directory',
      { ...shop, 'lib/a.js': '1' },
      { 'lib/package.json': '{"imports": {}}' },
      test,
      'tools: lib/package.json is new: Node reads it instead of the one above',
    ],
    [
      'fixtures outside of folders of tests',
      { ...shop, 'fixtures/cart.json': '[1]' },
      { 'fixtures/cart.json': '[]' },
      test,
      'tests: fixtures/cart.json was changed',
    ],
    [
      'a requirement from the commit itself',
      { 'requirements.txt': 'pytest==8.0.0\n', 'test_cart.py': '1' },
      { 'requirements.txt': 'pytest==8.0.0\n./wheels/evil-1.0-py3-none-any.whl\n' },
      command('python3 -m unittest'),
      'scripts: requirements.txt: the line "./wheels/evil-1.0-py3-none-any.whl" is new and takes effect by itself',
    ],
    [
      'a package that the lockfile replaces',
      { ...shop, 'package-lock.json': locked({ version: '1.0.0', resolved: 'https://r/a-1.0.0.tgz' }) },
      { 'package-lock.json': locked({ resolved: 'lib/runner', link: true }) },
      test,
      'scripts: package-lock.json: the package a was replaced',
    ],
    [
      'another content of the same version',
      { ...shop, 'package-lock.json': locked({ version: '1.0.0', integrity: 'sha512-a' }) },
      { 'package-lock.json': locked({ version: '1.0.0', integrity: 'sha512-b' }) },
      test,
      'scripts: package-lock.json: the package a was replaced',
    ],
    [
      'an archive that is installed',
      { ...shop, 'vendor/runner.tgz': '1' },
      { 'vendor/runner.tgz': '2' },
      test,
      'tools: vendor/runner.tgz was changed',
    ],
  ])('include %s', async (_, before, changed, evidence, line) => {
    expect(await lines(before, { ...before, ...changed }, { evidence: [evidence] })).toEqual([line])
  })

  it.each<[string, Files, Files, Evidence]>([
    [
      'code in a directory with tests beside it',
      withScript('vitest run src', { 'src/cart.ts': '1', 'src/cart.test.ts': '1' }),
      { 'src/cart.ts': '2' },
      test,
    ],
    ['code behind the test of the shell', { 'src/a.js': '1' }, { 'src/a.js': '2' }, command('test -d src')],
    [
      'a newer version in the lockfile',
      { ...shop, 'package-lock.json': locked({ version: '1.0.0', integrity: 'a' }) },
      { 'package-lock.json': locked({ version: '1.1.0', integrity: 'b' }) },
      test,
    ],
    ['a new plain requirement', { 'requirements.txt': 'a==1\n' }, { 'requirements.txt': 'a==1\nb>=2 # new\n' }, test],
    [
      'a new package in the list of workspaces',
      { 'package.json': JSON.stringify({ workspaces: ['a'] }) },
      { 'package.json': JSON.stringify({ workspaces: ['a', 'b'] }), 'b/package.json': '{}' },
      test,
    ],
  ])('do not include %s', async (_, before, changed, evidence) => {
    expect(await lines(before, { ...before, ...changed }, { evidence: [evidence] })).toEqual([])
  })
})

function locked(entry: object): string {
  return JSON.stringify({ packages: { '': {}, 'node_modules/a': entry } })
}

describe('the diff rule', () => {
  it.each<[string, Files]>([
    ['source code and its new test', { 'src/cart.js': '2', 'test/more.test.js': '1', 'src/price.spec.ts': '1' }],
    [
      'a new dependency with its lockfile',
      {
        'package.json': JSON.stringify({ scripts: { test: 'node --test' }, dependencies: { a: '1.0.0', b: '^2' } }),
        'package-lock.json': '{}',
      },
    ],
    [
      'a new script that nothing runs by itself',
      {
        'package.json': JSON.stringify({
          scripts: { test: 'node --test', build: 'tsc' },
          dependencies: { a: '1.0.0' },
        }),
      },
    ],
    ['documentation', { 'README.md': '1', 'docs/spec/cart.md': '1', 'CHANGELOG.md': '1' }],
    ['a module of a package with a common name', { 'src/shop/json.py': '1', 'app/types.py': '1' }],
    ['an example of settings', { '.env.example': 'A=1' }],
    ['a first Makefile', { Makefile: 'all:\n' }],
  ])('says nothing about %s', async (_, changed) => {
    expect(await lines(shop, { ...shop, ...changed })).toEqual([])
  })

  it('names changed and deleted tests', async () => {
    const before = { ...shop, 'tests/test_tax.py': '1', '__tests__/a.js': '1' }
    const { 'tests/test_tax.py': _, ...after }: Files = { ...before, 'test/cart.test.js': '2', '__tests__/a.js': '2' }
    expect(await lines(before, after)).toEqual([
      'tests: __tests__/a.js was changed',
      'tests: test/cart.test.js was changed',
      'tests: tests/test_tax.py was deleted',
    ])
  })

  it('puts many changes of one sort into one line', async () => {
    const before = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`test/t${10 + index}.js`, '1']))
    expect(await lines(before, {})).toEqual([
      'tests: 12 test files were deleted: test/t10.js, test/t11.js, test/t12.js and 9 more',
    ])
  })

  it.each<[string, string]>([
    ['.npmrc', 'tools: .npmrc is new: the package manager reads it by itself'],
    ['GNUmakefile', 'tools: GNUmakefile is new: make reads it before Makefile'],
    ['conftest.py', 'tools: conftest.py is new: pytest loads it by itself'],
    ['tests/conftest.py', 'tools: tests/conftest.py is new: pytest loads it by itself'],
    ['sitecustomize.py', 'tools: sitecustomize.py is new: Python loads it by itself'],
    ['unittest.py', 'tools: unittest.py is new: Python loads it instead of its own module'],
    ['unittest/__init__.py', 'tools: unittest/__init__.py is new: Python loads it instead of its own module'],
    ['test/json.py', 'tools: test/json.py is new: Python loads it instead of its own module'],
    [
      'src/__pycache__/cart.cpython-311.pyc',
      'tools: src/__pycache__/cart.cpython-311.pyc is new: Python loads it instead of the source',
    ],
    ['node_modules/.bin/vitest', 'tools: node_modules/.bin/vitest is new: it stands before installed packages'],
    ['.gitattributes', 'tools: .gitattributes is new: git changes files by it'],
    ['.github/workflows/ci.yml', 'ci: .github/workflows/ci.yml is new: the forge runs it by itself'],
    ['.ci/run', 'ci: .ci/run is new: the forge runs it by itself'],
    ['CLAUDE.md', 'instructions: CLAUDE.md is new: agents read it by themselves'],
    ['vitest.config.ts', 'scripts: vitest.config.ts is new: it decides what the checks run'],
  ])('names a new %s', async (path, line) => {
    expect(await lines(shop, { ...shop, [path]: '1' })).toEqual([line])
  })

  it('does not mind the first runner of a repository without tests', async () => {
    expect(
      await lines({ 'README.md': '1' }, { 'README.md': '1', 'vitest.config.ts': '1', 'test/a.test.ts': '1' }),
    ).toEqual([])
  })

  it.each<[string, object, string]>([
    ['a changed script', { scripts: { test: 'true' } }, 'the script "test" was changed'],
    ['a removed script', { scripts: {} }, 'the script "test" was removed'],
    [
      'a hook of a script',
      { scripts: { test: 'node --test', pretest: 'cp a b' } },
      'the script "pretest" is new and takes effect by itself',
    ],
    [
      'settings of a runner',
      { scripts: { test: 'node --test' }, jest: { testPathIgnorePatterns: ['cart'] } },
      '"jest" is new and takes effect by itself',
    ],
    [
      'a package from the commit itself',
      { scripts: { test: 'node --test' }, devDependencies: { vitest: 'file:./fake' } },
      'the source of vitest is new and takes effect by itself',
    ],
  ])('names %s in package.json', async (_, content, line) => {
    expect(await lines(shop, { ...shop, 'package.json': JSON.stringify(content) })).toEqual([
      `scripts: package.json: ${line}`,
    ])
  })

  it('does not mind the replacement of the script that npm init writes', async () => {
    const before = {
      'package.json': JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
    }
    expect(await lines(before, { 'package.json': shop['package.json'] as string })).toEqual([])
  })

  it('compares the sections of pyproject.toml on which checks rest', async () => {
    const project = '[project]\nname = "shop"\n'
    const strict = `${project}\n[tool.pytest.ini_options]\naddopts = "-ra"\n`
    const file = (text: string): Files => ({ 'pyproject.toml': text })
    expect(await lines(file(strict), file(strict.replace('shop', 'store')))).toEqual([])
    expect(await lines(file(strict), file(strict.replace('-ra', '--ignore=tests')))).toEqual([
      'scripts: pyproject.toml: [tool.pytest.ini_options] was changed',
    ])
    expect(await lines(file(project), file(strict))).toEqual([
      'scripts: pyproject.toml: [tool.pytest.ini_options] is new and takes effect by itself',
    ])
  })

  describe('for files that commands name', () => {
    const before = {
      'verify.sh': 'diff out.txt want/out.txt',
      'want/out.txt': '1',
      'app.js': '1',
      'run.sh': 'node app.js',
    }
    const all = { 'verify.sh': '2', 'want/out.txt': '2', 'app.js': '2', 'run.sh': '2' }

    it('names a schema, but no file that a command only reads', async () => {
      const files = { 'order.schema.json': '1', 'greeting.txt': '1' }
      const changed = { 'order.schema.json': '2', 'greeting.txt': '2' }
      const schema: Evidence = { kind: 'schema', path: 'order.json', schemaPath: 'order.schema.json' }
      expect(await lines(files, changed, { evidence: [schema, command('grep hello greeting.txt')] })).toEqual([
        'scripts: order.schema.json was changed',
      ])
    })

    it.each<[string, Files, string, string[]]>([
      ['compares with', { 'answer.txt': '3' }, 'test "$(node sum.js)" = "$(cat answer.txt)"', ['answer.txt']],
      ['has sums of', { SUMS: '3' }, 'node sum.js | sha256sum -c SUMS', ['SUMS']],
      ['reads', { 'in.csv': '3' }, 'node sum.js < in.csv | grep 6', ['in.csv']],
      ['is given', { 'in.dat': '3' }, 'node sum.js in.dat', ['in.dat']],
      ['searches by', { 'words.lst': '3' }, 'grep -f words.lst out.log', ['words.lst']],
      ['loads', { 'settings.env': '3' }, '. ./settings.env && node sum.js', ['settings.env']],
      ['includes', { Makefile: 'include build.inc\ntest:\n\t$(PY)', 'build.inc': '3' }, 'make test', ['build.inc']],
      ['may include', { Makefile: '-include $(DIR)/a.inc\n', 'mk/a.inc': '3' }, 'make', ['mk/a.inc']],
      [
        'includes many of',
        { Makefile: 'sinclude mk/*.inc\n', 'mk/a.inc': '3', 'mk/b.inc': '3' },
        'make',
        ['mk/a.inc', 'mk/b.inc'],
      ],
      [
        'only examines',
        { 'page.txt': '3', 'b.json': '{}' },
        'grep -q x page.txt && jq -e .a b.json && test -s page.txt',
        [],
      ],
      ['writes', { 'out.json': '3' }, 'node build.js > out.json', []],
      ['expects to contain', { 'greeting.txt': '3' }, '[ "$(cat greeting.txt)" = hello ]', []],
      ['starts', { 'bin/shop': '#!/usr/bin/env node\n', cli: 'code' }, 'bin/shop --help && node cli x', []],
      ['translates', { 'a.scss': '3', 'b.svg': '3' }, 'sass a.scss a.css && optimise b.svg', []],
      ['documents', { 'README.md': '3' }, 'node doctest.js README.md', []],
      [
        'counts among others',
        { Makefile: 'test:\n\tnode a.js\nup:\n\tup compose.yml', 'compose.yml': '3' },
        'make test',
        [],
      ],
    ])('looks at a file that a command %s', async (_, files, run, expected) => {
      const { Makefile = '', ...rest } = files
      const changed = Object.fromEntries(Object.keys(rest).map((path) => [path, '42']))
      const { witnesses } = await find(files, { Makefile, ...changed }, { evidence: [command(run)], asked: 'Add all' })
      expect(witnesses.map(({ path }) => path).filter((path) => path !== 'Makefile')).toEqual(expected)
    })

    it('names no data that the brief is about', async () => {
      const change = [{ 'cities.csv': '1' }, { 'cities.csv': '2' }] as const
      const given = { evidence: [command('node load.js cities.csv')], asked: 'Add Berlin to the cities' }
      expect(await lines(...change, given)).toEqual([])
      expect(await lines(...change, { ...given, asked: 'Add Berlin' })).toEqual(['scripts: cities.csv was changed'])
    })

    it('names checks, scripts and data to compare with, but no source code, which is the work', async () => {
      expect(await lines(before, all, { evidence: [command('sh ./verify.sh && sh run.sh && node app.js')] })).toEqual([
        'scripts: run.sh was changed',
        'scripts: verify.sh was changed',
        'scripts: want/out.txt was changed',
      ])
      expect(await lines(before, all, { evidence: [] })).toEqual([])
    })

    it('names no file that the brief asks for, unless it is called a check', async () => {
      const given = { evidence: [command('sh verify.sh && sh run.sh')], asked: 'Write verify.sh, run.sh and out.txt' }
      expect(await lines(before, all, given)).toEqual(['scripts: verify.sh was changed'])
    })

    it.each([
      'Do not change run.sh',
      'Make run.sh pass',
      'Fix cart.js so that run.sh passes',
      'Write cart.js; run.sh stays as it is',
      'Never touch run.sh. Mend cart.js',
    ])('names a script that the brief names for another reason: %s', async (asked) => {
      const given = { evidence: [command('sh run.sh')], asked }
      expect(await lines(before, all, given)).toContain('scripts: run.sh was changed')
    })

    it('names data that a check reads, but none that other code reads', async () => {
      const code = `import rules from './rules/cart.json'`
      const files = {
        'check.mjs': code,
        'app.mjs': `read('other/data.json')`,
        'rules/cart.json': '1',
        'other/data.json': '1',
      }
      const changed = { ...files, 'rules/cart.json': '2', 'other/data.json': '2' }
      expect(await lines(files, changed, { evidence: [command('node check.mjs && node app.mjs')] })).toEqual([
        'scripts: rules/cart.json was changed',
      ])
    })

    it('names the files of a runner that is a package of the repository, but of no other package', async () => {
      const files = {
        'package.json': JSON.stringify({
          scripts: { test: 'tiny-runner test' },
          devDependencies: { 'tiny-runner': 'file:vendor/runner', ui: 'file:packages/ui' },
        }),
        'vendor/runner/run.js': '1',
        'packages/ui/index.js': '1',
      }
      const changed = { ...files, 'vendor/runner/run.js': '2', 'packages/ui/index.js': '2' }
      expect(await lines(files, changed)).toEqual(['tests: vendor/runner/run.js was changed'])
    })

    describe('without an ending', () => {
      const shell = (text: string): string => `#!/bin/sh\n${text}\n`
      const files = {
        'bin/all': shell('tools/step && "$(dirname "$0")/beside"'),
        'tools/step': shell('"${ROOT}/tools/last" || exit 1'),
        'tools/last': shell('node cart.js'),
        'bin/beside': '#!/usr/bin/env bash\nexit 0\n',
        'bin/other': shell('exit 0'),
        'bin/shop': '#!/usr/bin/env node\n',
        'bin/verify': '#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(["tools/step"], check=True)\n',
        go: 'node cart.js\n',
        LICENSE: 'All of it.\n',
      }
      const changed = Object.fromEntries(Object.keys(files).map((path) => [path, `#!/bin/sh\nexit 0 # ${path}\n`]))
      const found = async (run: string, asked?: string, more: Files = {}): Promise<string[]> =>
        (
          await find(
            { ...files, ...more },
            { ...changed, ...more },
            { evidence: [command(run)], ...(asked === undefined ? {} : { asked }) },
          )
        ).witnesses.map(({ path }) => path)

      it('names shell scripts that a command runs, and those that they run', async () => {
        expect(await found('./bin/all')).toEqual(['bin/all', 'bin/beside', 'tools/last', 'tools/step'])
        expect(await found('cd bin && ./beside')).toEqual(['bin/beside'])
        expect(await found('sh tools/../bin/other')).toEqual(['bin/other'])
        expect(await found('./go')).toEqual(['go'])
        expect(await found('sh go')).toEqual(['go'])
      })

      it('names a check in any language, and the scripts that it runs', async () => {
        expect(await found('bin/verify')).toEqual(['bin/verify', 'tools/last', 'tools/step'])
      })

      it.each<[string, Files, string]>([
        ['make', { Makefile: 'test:\n\t./bin/other\n' }, 'make test'],
        ['make in a directory', { 'build/Makefile': 'test:\n\t../bin/other\n' }, 'make -C build test'],
        ['make with another file', { 'build/rules.mk': 'test:\n\t$(CURDIR)/bin/other\n' }, 'make -f build/rules.mk'],
        ['an included makefile', { Makefile: 'include a.mk\n', 'a.mk': 'test:\n\t@bin/other\n' }, 'make test'],
        ['just', { justfile: 'test:\n  bin/other\n' }, 'just test'],
        ['task', { 'Taskfile.yml': 'tasks:\n  test:\n    cmds: [bin/other]\n' }, 'task test'],
        ['tox', { 'tox.ini': '[testenv]\ncommands = bin/other\n' }, 'tox'],
        ['rake', { Rakefile: `task :test do\n  sh 'bin/other'\nend\n` }, 'rake test'],
        ['composer', { 'composer.json': '{"scripts": {"test": ["@php -v", "bin/other"]}}' }, 'composer test'],
        ['npm below', { 'web/package.json': '{"scripts": {"test": "../bin/other"}}' }, 'npm --prefix web test'],
      ])('names those that %s runs', async (_, more, run) => {
        expect(await found(run, undefined, more)).toEqual(['bin/other'])
      })

      it('names no program that is the work, and no text that a command only reads', async () => {
        expect(await found('bin/shop --version && grep -q All LICENSE && sh -c "ls tools"')).toEqual([])
      })

      it('names none that the brief asks for as a path, but a common word is none', async () => {
        expect(await found('bin/other', 'Rewrite bin/other so that it ends')).toEqual([])
        expect(await found('./go', 'Rewrite `go`')).toEqual([])
        expect(await found('./go && bin/other', 'Let it go on with all other things')).toEqual(['bin/other', 'go'])
      })
    })

    it('follows the scripts of package.json and the recipes of a Makefile', async () => {
      const files = {
        'package.json': JSON.stringify({ scripts: { test: 'sh tools/all.sh', other: 'sh tools/other.sh' } }),
        'tools/all.sh': 'node tools/checkAll.js',
        'tools/checkAll.js': '1',
        'tools/other.sh': '1',
        Makefile: 'accept:\n\tsh tools/make.sh\n',
        'tools/make.sh': '1',
      }
      const changed = { ...files, 'tools/checkAll.js': '2', 'tools/other.sh': '2', 'tools/make.sh': '2' }
      expect(await lines(files, changed)).toEqual(['scripts: tools/checkAll.js was changed'])
      expect(await lines(files, changed, { evidence: [command('make accept')] })).toEqual([
        'scripts: tools/make.sh was changed',
      ])
    })
  })
})

describe('the files of the start', () => {
  const undone = async (before: Files, after: Files): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await find(before, after)).witnesses.flatMap(({ undo }) => undo.map(({ path, as }) => [path, as])),
    )

  it('replace changed witnesses and remove new ones', async () => {
    const { 'test/cart.test.js': _, ...after }: Files = {
      ...shop,
      '.npmrc': 'script-shell=/bin/true',
      'src/cart.js': '2',
    }
    expect(await undone(shop, after)).toEqual({ '.npmrc': null, 'test/cart.test.js': { commit: 'start' } })
  })

  it('replace only scripts and settings in package.json', async () => {
    const after = {
      scripts: { test: 'true', pretest: 'true', build: 'tsc' },
      dependencies: { a: '1.0.0', b: '2.0.0' },
      jest: {},
      devDependencies: { vitest: 'file:./fake', c: '1' },
    }
    const [file] = Object.values(await undone(shop, { ...shop, 'package.json': JSON.stringify(after) }))
    expect(JSON.parse((file as { text: string }).text)).toEqual({
      scripts: { test: 'node --test', build: 'tsc' },
      dependencies: { a: '1.0.0', b: '2.0.0' },
      devDependencies: { c: '1' },
    })
  })

  it('replace only the sections of checks in pyproject.toml', async () => {
    const start = '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\naddopts = "-ra"\n'
    const work =
      '[project]\nname = "store"\n\n[tool.pytest.ini_options]\naddopts = "-k nothing"\n\n[tool.other]\nline = 1\n'
    const [file] = Object.values(await undone({ 'pyproject.toml': start }, { 'pyproject.toml': work }))
    const { text } = file as { text: string }
    expect(text).toContain('name = "store"')
    expect(text).toContain('[tool.other]')
    expect(text).toContain('addopts = "-ra"')
    expect(text).not.toContain('nothing')
  })
})
