import { isOwnRequirement } from './requirements.ts'
import type { IsUsed, PartedFile, Parts } from './parted.ts'
import { type Section, splitSections } from './sections.ts'
import { readToml, type TomlStatement, type TomlValue } from './toml.ts'

/** Tables with the settings of test runners and linters, and those that replace packages or load plugins. */
const pythonTables = tablesOf(
  `tool.pytest tool.tox tool.nox tool.coverage tool.hatch.envs tool.poe tool.pdm.scripts tool.taskipy tool.ruff tool.mypy
  tool.flake8 tool.pylint tool.pyright tool.basedpyright tool.ty tool.black tool.isort tool.bandit tool.uv.sources
  tool.uv.override-dependencies tool.uv.find-links tool.uv.index project.entry-points.pytest11
  tool.poetry.plugins.pytest11 build-system.backend-path`,
)
const rustTables = tablesOf(
  `test bench patch replace profile.test lints workspace.lints workspace.default-members workspace.exclude
  package.autotests package.autobenches package.build lib.test lib.doctest lib.harness bin.test example.test`,
)

/** pyproject.toml. */
export const pythonProject = (isUsed: IsUsed): PartedFile =>
  tomlFile(({ path, text, items }) => {
    const [first, second, third, ...rest] = path
    if (pythonTables(path)) return [text]
    const isProgram = second === 'scripts' ? first === 'project' : second === 'poetry' && third === 'scripts'
    if (isProgram && isUsed(path.at(-1) ?? '')) return [text]
    // A dependency that leads to a file or an address instead of the registry.
    if (first === 'tool' && second === 'poetry' && path.some((key) => key.endsWith('dependencies')))
      return rest.length > 0 && ['path', 'url', 'git', 'file'].includes(path.at(-1) ?? '') ? [text] : []
    return path.some((key) => key.endsWith('dependencies') || key === 'dependency-groups')
      ? items.filter(isOwnRequirement)
      : []
  })

/** Cargo.toml. */
export const rustProject: PartedFile = tomlFile(({ path, text, items }) =>
  rustTables(path) ? [text] : path.join('.') === 'workspace.members' ? items.map((item) => `${listed}${item}`) : [],
)

/** A member of a list: a further one weakens nothing. */
const listed = 'listed '

function tablesOf(text: string): (path: readonly string[]) => boolean {
  const tables = text.split(/\s+/).map((table) => table.split('.'))
  return (path) => tables.some((table) => table.every((key, index) => path[index] === key))
}

/** A TOML file, in which values matter by their keys; `relevant` returns the part that matters. */
function tomlFile(relevant: (value: TomlValue) => readonly string[]): PartedFile {
  const isRelevant = ({ values }: TomlStatement): boolean => values.some((value) => relevant(value).length > 0)
  const partsOf = (text: string): Parts | null => {
    const statements = readToml(text)
    if (statements === null) return null
    const parts = new Map<string, string>()
    for (const value of statements.flatMap(({ values }) => values))
      for (const each of relevant(value)) {
        const isMember = each.startsWith(listed)
        const table = `[${value.path.slice(0, -1).join('.')}]`
        const name = isMember ? `${table} ${each}` : table
        parts.set(name, `${parts.get(name) ?? ''}${JSON.stringify([value.path.at(-1), each])}`)
      }
    return parts
  }
  const putBack = (text: string, start: string): string => {
    const [statements, before] = [readToml(text), readToml(start)]
    if (statements === null || before === null) return start
    const joined = joinStatements(text, statements, start, before, isRelevant)
    const [wanted, found] = [partsOf(start), partsOf(joined)]
    // A table may be spread over a file in ways that no line can be put into.
    return found !== null && isSame(wanted ?? none, found) ? joined : start
  }
  return {
    partsOf,
    putBack,
    runsByItself: (name) => !name.includes(listed),
    describe: (name) => name.replace(listed, ''),
  }
}

const none: Parts = new Map()

const isSame = (one: Parts, other: Parts): boolean =>
  JSON.stringify([...one].sort()) === JSON.stringify([...other].sort())

/**
 * Returns the text of the work without its relevant statements, and with those of the start: below the same heading, or
 * with their own at the end.
 */
function joinStatements(
  text: string,
  statements: readonly TomlStatement[],
  start: string,
  before: readonly TomlStatement[],
  isRelevant: (statement: TomlStatement) => boolean,
): string {
  const [lines, startLines] = [text.split('\n'), start.split('\n')]
  for (const { from, to } of statements.filter(isRelevant)) lines.fill(dropped, from, to)
  const own = before.filter(isRelevant)
  const tables = new Set(own.filter(({ isHeading }) => isHeading).map(nameOf))
  const [blocks, single] = [
    own.filter((each) => tables.has(nameOf(each))),
    own.filter((each) => !tables.has(nameOf(each))),
  ]
  const byTable = Map.groupBy(single, nameOf)
  const below = (table: string): string[] => (byTable.get(table) ?? []).flatMap((each) => linesOf(each, startLines))
  const headings = new Map(
    statements.filter(({ isHeading }) => isHeading).map((each) => [each.from, below(nameOf(each))]),
  )
  return [
    ...below(nameOf({ table: [] })),
    ...lines.flatMap((line, index) => [line, ...(headings.get(index) ?? [])]).filter((line) => line !== dropped),
    ...blocks.flatMap((each) => linesOf(each, startLines)),
  ].join('\n')
}

/** No line of a file contains a line break. */
const dropped = '\n'

const nameOf = ({ table }: Pick<TomlStatement, 'table'>): string => JSON.stringify(table)

const linesOf = ({ from, to }: TomlStatement, lines: readonly string[]): string[] => lines.slice(from, to)

/** A file of sections, each with a heading such as `[flake8]`; in go.mod, a line or a block is a section. */
export const sectionFile = (isWanted: (section: Section) => boolean, begins: RegExp): PartedFile => {
  const sectionsIn = (text: string): Section[] => splitSections(text, begins)
  return {
    partsOf: (text) => {
      const parts = new Map<string, string>()
      for (const { heading, lines } of sectionsIn(text).filter(isWanted))
        parts.set(heading, `${parts.get(heading) ?? ''}${lines.join('\n').trim()}`)
      return parts
    },
    putBack: (text, start) =>
      [...sectionsIn(text).filter((section) => !isWanted(section)), ...sectionsIn(start).filter(isWanted)]
        .map(({ lines }) => lines.join('\n'))
        .join('\n'),
    runsByItself: () => true,
    describe: (name) => name,
  }
}
