import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import { describe, expect, it } from 'vitest'

import { boundLimit } from './limit.ts'

/** Executes the query with rising limits; returns whether SQLite asked its authorizer, as it does when it prepares. */
function preparesAgain(limit: string): boolean {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE briefs (id INTEGER PRIMARY KEY, status TEXT)')
  let asked = 0
  database.setAuthorizer(() => {
    asked++
    return 0
  })
  const query = database.prepare(`SELECT id FROM briefs WHERE status = 'pending' ORDER BY id ${limit}`)
  const toPrepare = asked
  for (let rows = 1; rows < 4; rows++) query.all(rows)
  database.close()
  expect(toPrepare).toBeGreaterThan(0)
  return asked > toPrepare
}

describe('a bound limit', () => {
  it('is executed without preparing the statement again', () => {
    expect(preparesAgain(boundLimit)).toBe(false)
    expect(preparesAgain('LIMIT ?'), 'a bare LIMIT is no longer part of the plan').toBe(true)
  })

  it('is used by every query, and no pattern is bound, which has the same cost', () => {
    const folder = resolve(import.meta.dirname, '..')
    const slow = /\b(LIMIT|LIKE|GLOB) \?/
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(paths).toContain('work/briefs/store.ts')
    const queries = paths.filter((path) => path.endsWith('.ts') && !/(\.test|db\/limit)\.ts$/.test(path))
    expect(queries.filter((path) => slow.test(readFileSync(resolve(folder, path), 'utf8')))).toEqual([])
  })
})
