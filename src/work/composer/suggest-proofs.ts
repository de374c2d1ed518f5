import type { SuggestedProof } from './contract.ts'

/** The files of a folder, read as data. */
export interface ProjectFiles {
  /** The names at its top. */
  readonly names: ReadonlySet<string>
  /** Resolves to null if there is no such file, or if it is larger than any that people write. */
  read(name: string): Promise<string | null>
}

/** A person reads a few suggestions; more of them hide the one that matters. */
const mostSuggestions = 8

/**
 * Suggests commands as proof from the files that describe a project. The files are read as text and nothing in them is
 * started, so a hostile one can suggest a wrong command at most, which a person sees before she starts anything.
 */
export async function suggestProofs(files: ProjectFiles): Promise<SuggestedProof[]> {
  const found: SuggestedProof[] = []
  for (const [name, suggest] of suggestions(files)) {
    const text = await files.read(name)
    if (text !== null) found.push(...suggest(text, name))
  }
  const unique = new Map(found.map((proof) => [proof.run, proof]))
  const proofs = [...unique.values()]
  return [...proofs.filter(({ kind }) => kind === 'test'), ...proofs.filter(({ kind }) => kind === 'check')].slice(
    0,
    mostSuggestions,
  )
}

type Suggest = (text: string, name: string) => SuggestedProof[]

const suggestions = (files: ProjectFiles): (readonly [name: string, suggest: Suggest])[] => [
  ['package.json', (text) => fromScripts(text, files.names)],
  ['deno.json', fromDenoTasks],
  ...['Makefile', 'makefile', 'GNUmakefile'].map((name) => [name, fromRules('make')] as const),
  ...['justfile', 'Justfile'].map((name) => [name, fromRules('just')] as const),
  ['pyproject.toml', (text) => fromPython(text, files.names)],
  ['tox.ini', (_, from) => [test('tox', from)]],
  ['pytest.ini', (_, from) => [test(python(files.names, 'pytest'), from)]],
  ['Cargo.toml', (_, from) => [test('cargo test', from), check('cargo clippy -- -D warnings', from)]],
  ['go.mod', (_, from) => [test('go test ./...', from), check('go vet ./...', from)]],
  ['mix.exs', (_, from) => [test('mix test', from)]],
  ['pom.xml', (_, from) => [test(files.names.has('mvnw') ? './mvnw -q test' : 'mvn -q test', from)]],
  ...['build.gradle', 'build.gradle.kts'].map(
    (name) => [name, (_: string, from: string) => [test(gradle(files.names), from)]] as const,
  ),
  ['Gemfile', (text, from) => (/\brspec\b/.test(text) ? [test('bundle exec rspec', from)] : [])],
  ...[...files.names]
    .filter((name) => /\.(csproj|fsproj|vbproj|sln|slnx)$/.test(name))
    .slice(0, 1)
    .map((name) => [name, (_: string, from: string) => [test('dotnet test', from)]] as const),
]

const test = (run: string, from: string): SuggestedProof => ({ run, from, kind: 'test' })
const check = (run: string, from: string): SuggestedProof => ({ run, from, kind: 'check' })

const checkNames = ['check', 'lint', 'typecheck', 'types', 'type-check', 'build']

function fromScripts(text: string, names: ReadonlySet<string>): SuggestedProof[] {
  const scripts = recordIn(text, 'scripts')
  const manager = names.has('pnpm-lock.yaml')
    ? 'pnpm'
    : names.has('yarn.lock')
      ? 'yarn'
      : names.has('bun.lock') || names.has('bun.lockb')
        ? 'bun'
        : 'npm'
  const call = (name: string): string =>
    name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`
  const from = (name: string): string => `package.json "${name}"`
  return [
    // The script that "npm init" writes always fails.
    ...(isText(scripts['test']) && !scripts['test'].includes('no test specified')
      ? [test(call('test'), from('test'))]
      : []),
    ...checkNames.filter((name) => isText(scripts[name])).map((name) => check(call(name), from(name))),
  ]
}

function fromDenoTasks(text: string, name: string): SuggestedProof[] {
  const tasks = recordIn(text, 'tasks')
  return tasks['test'] === undefined ? [test('deno test', name)] : [test('deno task test', `${name} "test"`)]
}

/** Reads the names of rules only: a rule is a line that starts with its name and a colon. */
const fromRules =
  (program: 'make' | 'just'): Suggest =>
  (text, file) => {
    const rules = new Set([...text.matchAll(/^([A-Za-z][\w-]{0,40})[^\S\n]*:(?!=)/gm)].map(([, name]) => name))
    return [
      ...(rules.has('test') ? [test(`${program} test`, `${file} "test"`)] : []),
      ...['check', 'lint']
        .filter((name) => rules.has(name))
        .map((name) => check(`${program} ${name}`, `${file} "${name}"`)),
    ]
  }

function fromPython(text: string, names: ReadonlySet<string>): SuggestedProof[] {
  const from = 'pyproject.toml'
  return [
    ...(/\bpytest\b/.test(text) ? [test(python(names, 'pytest'), from)] : []),
    ...(/^\[tool\.ruff\b/m.test(text) ? [check(python(names, 'ruff check .'), from)] : []),
    ...(/^\[tool\.mypy\b/m.test(text) ? [check(python(names, 'mypy .'), from)] : []),
  ]
}

const python = (names: ReadonlySet<string>, command: string): string =>
  names.has('uv.lock') ? `uv run ${command}` : names.has('poetry.lock') ? `poetry run ${command}` : command

const gradle = (names: ReadonlySet<string>): string => (names.has('gradlew') ? './gradlew test' : 'gradle test')

const isText = (value: unknown): value is string => typeof value === 'string'

function recordIn(text: string, key: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    const inner = isRecord(value) ? value[key] : undefined
    return isRecord(inner) ? inner : {}
  } catch {
    // A file that is not JSON suggests nothing; its own tools report the fault.
    return {}
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
