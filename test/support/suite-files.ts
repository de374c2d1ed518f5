import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The first line of a test file that starts processes or plays whole worlds: it would hold up the quick tests. */
const inProcessSuite = /^\/\/ @suite process\n/

/** Finds the test files that belong to the suite `process`. */
export const processFiles = (root: string, patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: root }).filter((path) => inProcessSuite.test(readFileSync(join(root, path), 'utf8')))
