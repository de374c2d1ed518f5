import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { readSources, type SourceFile } from './imports.ts'

/** The only ways to PostgreSQL in tests: what `store.ts` offers under these names, and all of `postgres.ts`. */
const chooses = /\bdescribe(?:Stores|Postgres)\b/
const store = 'test/support/store.ts'
const postgres = 'test/support/postgres.ts'

/**
 * The files under these folders that can come to use PostgreSQL, themselves or through what they import: all others
 * show the same on any store. A new one is found by what it imports; there is no list to forget it on.
 */
export function filesOnPostgres(root: string, folders: readonly string[]): string[] {
  const files = readSources(root, folders)
  const found = new Set(files.filter((file) => isEntrance(root, file)).map((file) => file.path))
  for (let known = -1; known < found.size;) {
    known = found.size
    for (const { path, imports } of files)
      if (path !== store && imports.some((each) => !each.typeOnly && found.has(each.target))) found.add(path)
  }
  return [...found].sort()
}

const isEntrance = (root: string, { path, imports }: SourceFile): boolean =>
  path !== store &&
  (imports.some((each) => !each.typeOnly && each.target === postgres) ||
    chooses.test(readFileSync(join(root, path), 'utf8')))
