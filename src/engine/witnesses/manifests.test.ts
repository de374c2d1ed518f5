import { describe, expect, it } from 'vitest'

import { command, type Files, find, lines, npmTest } from '../../../test/support/witnesses.ts'

const pytest = command('python3 -m pytest')
const python: Files = { 'cart.py': '1', 'tests/test_cart.py': '1' }
const node: Files = {
  'cart.js': '1',
  'test/cart.test.js': '1',
  'package.json': JSON.stringify({ scripts: { test: 'node --test' }, workspaces: ['packages/*'] }),
  'packages/ui/package.json': '{"name": "ui"}',
}
const lock = (packages: object): string => JSON.stringify({ lockfileVersion: 3, packages })
const collecting = 'addopts = "--collect-only"'

describe('a new file of settings', () => {
  it.each<[string, string, string]>([
    ['pyproject.toml', `[tool.pytest.ini_options]\n${collecting}`, '[tool.pytest.ini_options]'],
    ['pyproject.toml', `tool.pytest = { ini_options = { ${collecting} } }`, '[tool.pytest'],
    ['pyproject.toml', '[project.entry-points.pytest11]\nx = "x"', 'pytest11'],
    ['pyproject.toml', '[project.scripts]\npytest = "x:y"', '[project.scripts]'],
    ['pyproject.toml', '[project]\ndependencies = ["a", "b @ file:///b.whl"]', '[project]'],
    ['pyproject.toml', '[tool.pytest.ini_options', 'is new and cannot be read'],
    ['setup.cfg', '[tool:pytest]\naddopts = --co', '[tool:pytest]'],
    ['setup.cfg', '[options.entry_points]\npytest11 =\n  x = x', '[options.entry_points]'],
    ['requirements.txt', './wheels/a-1.0-py3-none-any.whl', './wheels'],
    ['requirements-dev.txt', '\0a', 'is new and cannot be read'],
    ['pytest.toml', '[pytest]', 'pytest loads it by itself'],
    ['tox.ini', '[pytest]', 'it decides what the checks run'],
    ['shop.egg-info/entry_points.txt', '[pytest11]', 'Python loads plugins by it'],
    ['pygments/__init__.py', '', 'instead of its own module'],
  ])('%s is compared with an empty one: %s', async (path, text, part) => {
    const found = await lines(python, { ...python, [path]: text }, { evidence: [pytest] })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(part)
  })

  it.each<[string, Files]>([
    ['a project without settings of checks', { 'pyproject.toml': '[project]\nname = "a"\ndependencies = ["b>=1"]\n' }],
    ['a program of the project', { 'pyproject.toml': '[project.scripts]\nshop = "shop:main"\n' }],
    ['plain requirements', { 'requirements.txt': 'a==1\nb>=2\n', 'setup.cfg': '[metadata]\nname = a\n' }],
    [
      'a package with its own tests',
      { 'ui/pyproject.toml': `[tool.pytest.ini_options]\n${collecting}\n`, 'ui/a.py': '' },
    ],
    ['a runner of a package with its own tests', { 'ui/vitest.config.ts': '1', 'ui/package.json': '{"jest": {}}' }],
  ])('is not odd for %s', async (_, added) => {
    expect(await lines(python, { ...python, ...added }, { evidence: [pytest] })).toEqual([])
  })

  it('keeps its other parts when the settings are removed', async () => {
    const text = `[project]\nname = "a"\n\n[tool.pytest.ini_options]\n${collecting}\n`
    const { witnesses } = await find(python, { ...python, 'pyproject.toml': text }, { evidence: [pytest] })
    expect(witnesses.flatMap(({ undo }) => undo)).toEqual([
      { path: 'pyproject.toml', as: { text: expect.stringContaining('name = "a"') } },
    ])
    expect(JSON.stringify(witnesses[0]?.undo)).not.toContain('collect-only')
    const alone = await find(python, { ...python, 'requirements.txt': './a.whl' }, { evidence: [pytest] })
    expect(alone.witnesses[0]?.undo).toEqual([{ path: 'requirements.txt', as: null }])
  })

  it('hides no package that the project requires', async () => {
    const files = { ...python, 'pyproject.toml': '[project]\ndependencies = ["PyYAML>=6", "my-lib"]\n' }
    expect(await lines(files, { ...files, 'my_lib.py': '1', 'yaml/__init__.py': '1' }, { evidence: [pytest] })).toEqual(
      [
        'tools: my_lib.py is new: Python loads it instead of the installed package',
        'tools: yaml/__init__.py is new: Python loads it instead of the installed package',
      ],
    )
    expect(await lines(files, { ...files, 'shop.py': '1', 'src/shop/yaml.py': '1' }, { evidence: [pytest] })).toEqual(
      [],
    )
  })
})

describe('settings in TOML', () => {
  const project = '[project]\nname = "shop"\n'
  it.each([
    `  [tool.pytest.ini_options]\n  ${collecting}\n`,
    `[tool]\npytest.ini_options.${collecting}\n`,
    `[tool."pytest".ini_options]\n${collecting}\n`,
    `[tool]\npytest = { ini_options = { ${collecting} } }\n`,
    '[tool.pytest.ini_options]\n',
  ])('are seen in another style: %s', async (more) => {
    const before = { ...python, 'pyproject.toml': project }
    const { witnesses } = await find(
      before,
      { ...before, 'pyproject.toml': `${project}${more}` },
      { evidence: [pytest] },
    )
    expect(witnesses.map(({ text }) => text)).toEqual([expect.stringMatching(/^pyproject\.toml: \[tool\.pytest/)])
    expect(JSON.stringify(witnesses[0]?.undo)).not.toContain('pytest')
  })

  it.each<[string, string]>([
    ['autotests = false', 'autotests = false\n'],
    ['lib', '[lib]\ntest = false\n'],
    ['a list of tests', '[[test]]\nname = "a"\npath = "b.rs"\n'],
  ])('are seen in Cargo.toml: %s', async (_, more) => {
    const before = { 'Cargo.toml': '[package]\nname = "x"\n', 'tests/a.rs': '1' }
    const after = { ...before, 'Cargo.toml': `[package]\nname = "x"\n${more}` }
    expect(await lines(before, after, { evidence: [command('cargo test')] })).toHaveLength(1)
  })

  it('are put back below their heading', async () => {
    const before = { 'Cargo.toml': '[package]\nname = "x"\nautotests = true\n[dependencies]\n', 'tests/a.rs': '1' }
    const text = '[package]\nautotests = false\nname = "y"\n[dependencies]\na = "1"\n'
    const { witnesses } = await find(before, { ...before, 'Cargo.toml': text }, { evidence: [command('cargo test')] })
    expect(witnesses[0]?.undo).toEqual([
      {
        path: 'Cargo.toml',
        as: { text: '[package]\nautotests = true\nname = "y"\n[dependencies]\na = "1"\n' },
      },
    ])
  })

  it('does not mind a dependency, a further member or a changed comment', async () => {
    const before = { 'Cargo.toml': '[workspace]\nmembers = ["a"]\n[lints.rust]\nunsafe = "deny"\n', 'tests/a.rs': '1' }
    const text = '[workspace]\nmembers = ["a", "b"]\n[lints.rust]\nunsafe = "deny" # always\n[dependencies]\nc = "1"\n'
    const given = { evidence: [command('cargo test')] }
    expect(await lines(before, { ...before, 'Cargo.toml': text }, given)).toEqual([])
    expect(await lines({ ...before, 'Cargo.toml': text }, before, given)).toEqual([
      'scripts: Cargo.toml: [workspace] b was removed',
    ])
  })
})

describe('a program that checks use', () => {
  const ui = (fields: object): Files => ({ 'packages/ui/package.json': JSON.stringify({ name: 'ui', ...fields }) })
  const helper = {
    'helper/package.json': JSON.stringify({ name: 'helper', bin: { node: 'run.sh' } }),
    'helper/run.sh': '1',
  }

  it.each<[string, Files]>([
    ['a workspace that existed', ui({ bin: { node: 'cli.sh' } })],
    ['a text instead of a list', ui({ name: '@shop/sh', bin: 'cli.sh' })],
    ['a directory of programs', ui({ directories: { bin: 'bin' } })],
    ['a new package', helper],
    [
      'a lockfile that leads to it',
      {
        'package-lock.json': lock({
          '': {},
          helper: { version: '1.0.0', bin: { node: 'run.sh' } },
          'node_modules/helper': { resolved: 'helper', link: true },
        }),
      },
    ],
    ['a lockfile of an older kind', { 'package-lock.json': '{"dependencies": {"a": {"version": "file:lib/a"}}}' }],
    [
      'a package of a registry',
      { 'package-lock.json': lock({ 'node_modules/a': { version: '1.0.0', bin: { sh: 'a' } } }) },
    ],
  ])('is odd in %s', async (_, added) => {
    expect(await lines(node, { ...node, ...added }, { evidence: [npmTest] })).toHaveLength(1)
  })

  it('is odd if a script or a command starts it, unless the brief asks for it', async () => {
    const files = { ...node, 'package.json': JSON.stringify({ scripts: { test: 'tiny-runner test' } }) }
    const changed = { ...files, ...ui({ bin: { 'tiny-runner': 'run.js' } }) }
    expect(await lines(files, changed)).toEqual([
      'scripts: packages/ui/package.json: the program "tiny-runner", which checks use, is new and takes effect by itself',
    ])
    expect(await lines(files, changed, { asked: 'Let ui bring the program tiny-runner.' })).toEqual([])
  })

  it.each<[string, Files]>([
    ['a program of its own', ui({ bin: { 'shop-ui': 'cli.js' } })],
    [
      'a new workspace',
      {
        'packages/web/package.json': '{"name": "web", "bin": "web.js", "scripts": {"test": "true"}}',
        'package-lock.json': lock({
          '': { workspaces: ['packages/*'] },
          'packages/web': { name: 'web', bin: { web: 'web.js' } },
          'node_modules/web': { resolved: 'packages/web', link: true },
        }),
      },
    ],
    [
      'a new package of a registry with its program',
      {
        'package-lock.json': lock({
          'node_modules/node': {
            version: '24.0.0',
            resolved: 'https://r/node/-/node-24.0.0.tgz',
            bin: { node: 'bin/node' },
          },
          'node_modules/vitest': {
            version: '4.0.0',
            resolved: 'https://r/vitest/-/vitest-4.0.0.tgz',
            bin: { vitest: 'a' },
          },
        }),
      },
    ],
  ])('is not %s', async (_, added) => {
    expect(await lines(node, { ...node, ...added }, { evidence: [npmTest] })).toEqual([])
  })
})

describe('a manifest that cannot be read', () => {
  it('is read without a byte order mark', async () => {
    const text = '\uFEFF{"scripts": {"test": "sh tools/run"}}'
    const files = { 'package.json': text, 'tools/run': '#!/bin/sh\n' }
    expect(await lines(files, { 'package.json': text.replace('sh tools', 'true tools'), 'tools/run': '2' })).toEqual([
      'scripts: package.json: the script "test" was changed',
      'scripts: tools/run was changed',
    ])
  })

  it.each([
    ['package.json', '{"scripts": {"test": "a"}}', '{"scripts": {"test": "a"},}'],
    ['package-lock.json', '{"packages": {}}', '{"packages": {'],
    ['pyproject.toml', '[project]\n', '[project]\n[project]\n'],
    ['composer.json', '{', '{}'],
  ])('counts as a whole: %s', async (path, before, after) => {
    expect(await lines({ [path]: before }, { [path]: after })).toEqual([`scripts: ${path} was changed`])
  })
})

describe('a build file', () => {
  it.each<[string, string, string, string]>([
    [
      'pom.xml',
      '<project>\n</project>',
      '<project>\n<properties><skipTests>true</skipTests></properties>\n</project>',
      'mvn test',
    ],
    ['build.gradle', 'plugins {}', 'plugins {}\ntest { enabled = false }', 'gradle test'],
    ['CMakeLists.txt', 'enable_testing()\nadd_test(NAME a\n  COMMAND a)', 'enable_testing()', 'ctest'],
    ['Shop.csproj', '<Project>\n</Project>', '<Project>\n<Target Name="VSTest" />\n</Project>', 'dotnet test'],
    ['Gemfile', "gem 'rspec'", "gem 'rspec', path: 'lib/rspec'", 'bundle exec rspec'],
    ['mix.exs', 'def project do\nend', 'def project do\naliases: [test: "run"]\nend', 'mix test'],
    ['composer.json', '{}', '{"autoload-dev": {"files": ["a.php"]}}', 'vendor/bin/phpunit'],
    ['package.json', '{}', '{"eslintConfig": {"ignorePatterns": ["**"]}}', 'npx eslint .'],
    ['pnpm-workspace.yaml', 'packages: [a, b]', 'packages: [a]', 'pnpm -r test'],
    ['vite.config.ts', '1', '2', 'npx vitest'],
    ['.unknownrc', '1', '2', 'npx unknown'],
    ['unknown.config.mjs', '1', '2', 'npx unknown'],
  ])('%s is odd if its checks change', async (path, before, after, run) => {
    expect(await lines({ [path]: before }, { [path]: after }, { evidence: [command(run)] })).toHaveLength(1)
  })

  it.each<[string, string, string, string]>([
    [
      'pom.xml',
      '<project>\n</project>',
      '<project>\n<dependency><artifactId>a</artifactId></dependency>\n</project>',
      'mvn test',
    ],
    [
      'build.gradle',
      'dependencies {\n}',
      "dependencies {\nimplementation 'a:b:1'\ntestImplementation 'c:d:1'\n}",
      'gradle test',
    ],
    ['CMakeLists.txt', 'add_library(a a.c)', 'add_library(a a.c b.c)\nadd_test(NAME b COMMAND b)', 'ctest'],
    [
      'Shop.csproj',
      '<Project>\n</Project>',
      '<Project>\n<PackageReference Include="A" Version="1" />\n</Project>',
      'dotnet test',
    ],
    ['Gemfile', "gem 'rspec'", "gem 'rspec'\ngem 'rails'", 'bundle exec rspec'],
    ['mix.exs', 'def deps do\nend', 'def deps do\n{:jason, "~> 1.4"}\nend', 'mix phx.server'],
    [
      'composer.json',
      '{}',
      '{"require": {"a/b": "^1"}, "autoload": {"psr-4": {"A\\\\": "src/"}}}',
      'vendor/bin/phpunit',
    ],
    ['.editorconfig', '1', '2', 'npm test'],
    ['tailwind.config.js', '1', '2', 'npm test'],
    ['config.toml', '1', '2', 'npm test'],
    ['prices.json', '1', '2', 'npm test'],
    ['arc.py', '1', '2', 'npm test'],
    ['index.html', '1', '2', 'npm test'],
    ['deploy/unknown.toml', '1', '2', 'npm test'],
  ])(
    '%s is not odd for sources, dependencies, new tests and settings of the product',
    async (path, before, after, run) => {
      expect(await lines({ [path]: before }, { [path]: after }, { evidence: [command(run)] })).toEqual([])
    },
  )

  it('is the work itself if the brief asks for it', async () => {
    const change: [Files, Files] = [
      { 'vite.config.ts': '1', 'unknown.toml': '1' },
      { 'vite.config.ts': '2', 'unknown.toml': '2' },
    ]
    expect(await lines(...change, { asked: 'Add an alias to vite.config.ts and unknown.toml' })).toEqual([])
  })
})
