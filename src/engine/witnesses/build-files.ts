import type { PartedFile, Parts } from './parted.ts'

/**
 * Returns how a build file is read: honest work adds sources, dependencies and tests to it, so that only statements on
 * which checks rest are compared. null: it is no build file.
 */
export function buildFileAt(path: string): PartedFile | null {
  const name = path.split('/').at(-1) ?? ''
  return buildFiles.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

interface Statements {
  /** Splits a text without its comments into statements. */
  split(text: string): readonly string[]
  /** Statements on which checks rest. */
  readonly rests: RegExp
  /** Those of them that weaken nothing if they are new. */
  readonly adds?: RegExp
}

const linesOf = (text: string): string[] => text.split('\n')

const statementFile = ({ split, rests, adds }: Statements): PartedFile => {
  const partsOf = (text: string): Parts => {
    const parts = new Map<string, string>()
    for (const statement of split(text).map((each) => each.replace(/\s+/g, ' ').trim()))
      if (rests.test(statement)) parts.set(statement, `${parts.get(statement) ?? ''}+`)
    return parts
  }
  return {
    partsOf,
    // A statement has its place among the others.
    putBack: (_, start) => start,
    runsByItself: (statement) => adds?.test(statement) !== true,
    describe: (statement) => `"${statement.slice(0, 80)}"`,
  }
}

/** Removes comments. A pattern would look for the end of each beginning anew, in a text of beginnings only. */
function withoutMarks(text: string): string {
  const kept: string[] = []
  for (let from = 0; ;) {
    const begin = text.indexOf('<!--', from)
    const end = begin < 0 ? -1 : text.indexOf('-->', begin + 4)
    if (end < 0) return kept.join('') + text.slice(from)
    kept.push(text.slice(from, begin))
    from = end + 3
  }
}
const withoutHashes = (text: string): string => text.replace(/(^|\s)#.*$/gm, '$1')
const withoutSlashes = (text: string): string => text.replace(/(^|\s)\/\/.*$/gm, '$1')

const xml: Statements = {
  split: (text) => withoutMarks(text).split(/(?<=<\/[\w.:-]+>|\/>)|\n/),
  rests:
    /skip|surefire|failsafe|argLine|<(?:exclude|include|module|phase|goal|test|groups|systemPath|repository)|TestSource|TestCase|IsTest|VSTest|<(?:Target|Exec|Import|UsingTask)\b|RunSettings|file:|ignoreFailures|TreatWarnings|NoWarn/i,
  adds: /^<module>|^<goal>|^<include>/,
}

const gradle: Statements = {
  split: (text) => linesOf(withoutSlashes(text)),
  rests:
    /\btests?\b|Test\b|\bcheck\b|enabled|onlyIf|exclude|ignoreFailures|failOnNoDiscoveredTests|filter|\bapply\b.{0,300}from|files?\(|fileTree|flatDir|mavenLocal|buildscript|\bexec\b|\btasks?\b|JavaExec|finalizedBy|dependsOn|jvmArgs|systemProperty/,
  adds: /^(?:test|androidTest|integrationTest)\w*(?:Implementation|RuntimeOnly|CompileOnly|Api|AnnotationProcessor)\b|^(?:test|androidTest)Compile\b/,
}

const cmake: Statements = {
  split: (text) => withoutHashes(text).match(/\b\w+\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g) ?? [],
  rests:
    /^(?:add_test|enable_testing|set_tests_properties|\w*_discover_tests|\w*_add_tests|add_custom_\w+|execute_process|option|return|function|macro|configure_file|ctest_\w+|subdirs)\s*\(|CTEST|BUILD_TESTING|WILL_FAIL|^include\s*\(|^add_subdirectory\s*\(.*test/i,
  adds: /^(?:add_test|enable_testing|\w*_discover_tests|\w*_add_tests|add_subdirectory|option)\s*\(/i,
}

const ruby: Statements = {
  split: (text) => linesOf(withoutHashes(text)),
  rests: /path|git(?:hub|lab)?\b|source|eval|instance|require|load|ENV|system|`|%x|\bdef\b|exit/,
}

const elixir: Statements = {
  split: (text) => linesOf(withoutHashes(text)),
  rests: /test|alias|path:|git:|github:|elixirc|preferred_cli|System|Code\.|Mix\.Task|compilers|exclude/,
}

const buildFiles: readonly (readonly [RegExp, PartedFile])[] = [
  [/^pom\.xml$|\.(?:cs|fs|vb)proj$/, statementFile(xml)],
  [/^(?:build|settings)\.gradle(?:\.kts)?$|^build\.sbt$/, statementFile(gradle)],
  [/^CMakeLists\.txt$/, statementFile(cmake)],
  [/^Gemfile$/, statementFile(ruby)],
  [/^mix\.exs$/, statementFile(elixir)],
]
