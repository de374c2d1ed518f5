import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { readSources, type SourceFile } from './imports.ts'

/** Tests reach PostgreSQL only through these functions of `store.ts` and through `postgres.ts`. */
const chooses = /\bdescribe(?:Stores|Postgres)\b/
const store = 'test/support/store.ts'
const postgres = 'test/support/postgres.ts'

/**
 * Finds the files under these folders that can use PostgreSQL, directly or through an import: the others behave the same
 * on every store. A new file is found by its imports, so there is no list to keep up to date.
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
