import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The first line of a test file that starts processes or plays whole worlds: it would hold up the quick tests. */
const inProcessSuite = /^\/\/ @suite process\n/

/** The first line of a test file that has nothing to test without PostgreSQL. */
const inPostgresSuite = /^\/\/ @suite postgres\n/

/** Finds the test files that belong to the suite `process`. */
export const processFiles = (root: string, patterns: readonly string[]): string[] =>
  marked(inProcessSuite, root, patterns)

/** Finds the test files that belong to the suite `postgres` only. */
export const postgresFiles = (root: string, patterns: readonly string[]): string[] =>
  marked(inPostgresSuite, root, patterns)

const marked = (mark: RegExp, root: string, patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: root }).filter((path) => mark.test(readFileSync(join(root, path), 'utf8')))
