/** Returns the words after which a test runner looks for its tests; the shell's own `test` is none. */
export const testedWords = (text: string): string[] =>
  text.split(/[;&|\n]+/).flatMap((command) => {
    const words = command.trim().split(/[\s"'`=]+/)
    const runner = words.findIndex((word, index) => runners.has(word) && !(word === 'test' && index === 0))
    return runner < 0 ? [] : words.slice(runner + 1).filter((word) => word !== '' && !word.startsWith('-'))
  })

const runners = new Set(
  `--test test pytest py.test unittest mocha jest vitest ava tap jasmine rspec phpunit nose2 bats tape uvu playwright
  cypress prove run-parts`.split(/\s+/),
)

/**
 * Returns the paths that a test runner is given: those of a glob, and those of a directory without files that are
 * tests by their name, because a directory of code may have its tests beside it.
 */
export function testedPaths(
  tested: ReadonlySet<string>,
  paths: readonly string[],
  isTest: (path: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>()
  for (const word of tested) {
    if (/[*?[]/.test(word)) {
      const pattern = globPattern(word)
      for (const path of paths) if (pattern.test(path)) found.add(path)
      continue
    }
    const below = paths.filter((path) => path.startsWith(`${word.replace(/\/+$/, '')}/`))
    if (!below.some(isTest)) for (const path of below) found.add(path)
  }
  return found
}

const globPattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.+^${}()|\\]/g, '\\$&')
      .replace(/\*\*\/|\*\*|\*|\?/g, (mark) => globMarks[mark] ?? mark)
      .replace(/\[(?![^\]]*\])/g, '\\[')}$`,
  )

const globMarks: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }
