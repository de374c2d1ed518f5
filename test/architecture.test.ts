import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { cycles, rings, violations } from './support/import-table.ts'
import { readSources, scan } from './support/imports.ts'
import { filesOnPostgres } from './support/store-files.ts'

const root = resolve(import.meta.dirname, '..')
const sources = readSources(root, ['src', 'web', 'test', 'bench', 'scripts'])

describe('the source tree', () => {
  it('is read by these tests', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(sources.flatMap((file) => file.imports).length).toBeGreaterThan(100)
  })

  it('has only imports that the table allows', () => {
    expect(violations(sources)).toEqual([])
  })

  it('has no import cycles', () => {
    expect(cycles(sources)).toEqual([])
  })

  it('has no folders that import each other in a ring', () => {
    expect(rings(sources)).toEqual([])
  })

  it('has no file named utils, helpers, manager, common, misc or index', () => {
    const shapeless = /(^|\/)(utils?|helpers?|managers?|common|misc|index)(\.tsx?$|\/)/
    expect(sources.map((file) => file.path).filter((path) => shapeless.test(path))).toEqual([])
  })
})

/** Forbidden lines of code, at least one per row of the table. `lint` marks those that oxlint reports too. */
const planted: { path: string; text: string; lint: boolean }[] = [
  { path: 'src/kernel/planted.ts', text: `import { readFileSync } from 'node:fs'`, lint: true },
  { path: 'src/kernel/planted-2.ts', text: `import type { Db } from '../db/port.ts'`, lint: true },
  { path: 'src/secrets/redact.ts', text: `import { readFileSync } from 'node:fs'`, lint: true },
  { path: 'src/db/planted-3.ts', text: `import { scanForSecrets } from '../secrets/scan.ts'`, lint: true },
  { path: 'src/planted/contract.ts', text: `import { readFileSync } from 'node:fs'`, lint: true },
  { path: 'src/planted/2/contract.ts', text: `import { sqlOf } from '../../db/tx.ts'`, lint: true },
  { path: 'src/planted/states.ts', text: `import { findRun } from '../work/runs/store.ts'`, lint: true },
  { path: 'src/planted/all.contract.ts', text: `import { Hono } from 'hono'`, lint: true },
  { path: 'src/planted/endpoints.ts', text: `import { Run } from '../work/runs/contract.ts'`, lint: true },
  { path: 'src/planted/2/endpoints.ts', text: `import { z } from 'zod'`, lint: true },
  { path: 'src/planted/port.ts', text: `import type { Tx } from '../db/port.ts'`, lint: true },
  { path: 'src/planted/store.ts', text: `import { Hono } from 'hono'`, lint: true },
  { path: 'src/planted/2/store.ts', text: `import { createRuns } from './service.ts'`, lint: true },
  { path: 'src/db/planted.ts', text: `import { Command } from 'commander'`, lint: true },
  { path: 'src/db/planted-2.ts', text: `import { appendEvent } from '../events/append.ts'`, lint: true },
  { path: 'src/events/planted.ts', text: `import type { Engine } from '../engine/engine.ts'`, lint: true },
  { path: 'src/jobs/planted.ts', text: `import { createRuns } from '../work/runs/service.ts'`, lint: true },
  { path: 'src/planted/service.ts', text: `import { Hono } from 'hono'`, lint: true },
  { path: 'src/planted/2/service.ts', text: `import { sqlOf } from '../../db/tx.ts'`, lint: true },
  { path: 'src/engine/planted.ts', text: `import { Command } from 'commander'`, lint: true },
  { path: 'src/engine/planted-2.ts', text: `export const later = () => import('../db/open.ts')`, lint: true },
  { path: 'src/engine/planted-3.ts', text: `import { run } from '../adapters/runtime/scripted/run.ts'`, lint: true },
  { path: 'src/playbooks/planted.ts', text: `import { readFileSync } from 'node:fs'`, lint: true },
  {
    path: 'src/playbooks/x/planted.ts',
    text: `import type { Runtime } from '../../adapters/runtime/port.ts'`,
    lint: true,
  },
  { path: 'src/planted/routes.ts', text: `import { findRun } from '../work/runs/store.ts'`, lint: true },
  { path: 'src/server/planted.ts', text: `import { openStore } from '../db/open.ts'`, lint: true },
  { path: 'src/mcp/planted.ts', text: `import { appendEvent } from '../events/append.ts'`, lint: true },
  { path: 'src/server/planted-2.ts', text: `import { createRuns } from '../work/runs/service.ts'`, lint: true },
  { path: 'src/planted/cli.ts', text: `import { z } from 'zod'`, lint: true },
  { path: 'src/cli/planted.ts', text: `import { Run } from '../work/runs/contract.ts'`, lint: true },
  { path: 'src/cli/planted-2.ts', text: `export { openStore } from '../db/open.ts'`, lint: true },
  { path: 'src/events/cli.ts', text: `import { appendEvent } from './append.ts'`, lint: false },
  { path: 'src/cli/planted-4.ts', text: `import { doctor } from './offline.ts'`, lint: false },
  { path: 'src/cli/planted-3.ts', text: `import type { Runs } from '../work/runs/service.ts'`, lint: true },
  { path: 'src/adapters/runtime/planted/a.ts', text: `import type { Db } from '../../../db/port.ts'`, lint: true },
  { path: 'src/adapters/runtime/planted/b.ts', text: `import { serve } from '../../../server/serve.ts'`, lint: true },
  { path: 'src/adapters/runtime/planted/c.ts', text: `import { launch } from '../scripted/launch.ts'`, lint: false },
  { path: 'src/workspaces/planted.ts', text: `import { sqlOf } from '../db/tx.ts'`, lint: true },
  { path: 'web/planted.ts', text: `import { openStore } from '../src/db/open.ts'`, lint: true },
  { path: 'web/planted-2.tsx', text: `import type { Runs } from '../src/work/runs/service.ts'`, lint: true },
  { path: 'src/work/planted.ts', text: `export const at = Date.now()`, lint: true },
  { path: 'src/work/planted-2.ts', text: `export const at = new Date()`, lint: false },
  { path: 'src/work/planted-3.ts', text: `setTimeout(() => {}, 1)`, lint: true },
  { path: 'src/work/planted-4.ts', text: `export const chance = Math.random()`, lint: true },
  { path: 'src/work/planted-5.ts', text: `import { randomUUID } from 'node:crypto'`, lint: false },
  { path: 'src/work/planted-6.ts', text: `import { setTimeout as wait } from 'node:timers/promises'`, lint: false },
  { path: 'src/work/planted-7.ts', text: `export const id = crypto.randomUUID()`, lint: true },
  { path: 'src/work/planted-8.ts', text: `export default 1`, lint: true },
]

/** Allowed lines of code that resemble a violation. */
const legitimate: { path: string; text: string }[] = [
  { path: 'src/planted/3/contract.ts', text: `import { z } from 'zod'\nexport const A = z.string()` },
  {
    path: 'src/planted/3/endpoints.ts',
    text: `import { get } from '../../operations/endpoint.ts'\nexport const a = get('/a')`,
  },
  { path: 'src/planted/4/cli.ts', text: `export { runEndpoints } from '../../work/runs/endpoints.ts'` },
  { path: 'src/db/planted-4.ts', text: `export { redact } from '../secrets/redact.ts'` },
  { path: 'src/planted/3/service.ts', text: `export type { Db } from '../../db/port.ts'` },
  { path: 'src/planted/3/cli.ts', text: `export type { Run } from '../../work/runs/contract.ts'` },
  { path: 'src/cli/planted-5.ts', text: `export const doctor = () => import('./offline.ts')` },
  { path: 'src/server/planted-3.ts', text: `export type { Runs } from '../work/runs/service.ts'` },
  { path: 'src/work/planted-9.ts', text: `export const at = new Date(0)` },
  { path: 'src/adapters/runtime/planted/d.ts', text: `export const at = Date.now()` },
  { path: 'web/planted-3.ts', text: `export { fromWire } from '../src/operations/wire.ts'` },
]

describe('a planted violation', () => {
  it.each(planted)('is reported: $text in $path', ({ path, text }) => {
    expect(violations([scan(path, text)])).toHaveLength(1)
  })

  it('is reported by the linter if a linter can check it', () => {
    const caught = lint([...planted, ...legitimate])
    const expected = planted.filter((each) => each.lint).map((each) => each.path)
    expect([...caught].sort()).toEqual([...expected].sort())
  })

  it.each(legitimate)('is not reported for $text in $path', ({ path, text }) => {
    expect(violations([scan(path, text)])).toEqual([])
  })

  it('is a cycle, also one of types', () => {
    const a = scan('src/org/a.ts', `import { b } from './b.ts'`)
    const b = scan('src/org/b.ts', `import type { C } from '../work/c.ts'`)
    const c = scan('src/work/c.ts', `export { a } from '../org/a.ts'`)
    expect(cycles([a, b, c])).toEqual([['src/org/a.ts', 'src/org/b.ts', 'src/work/c.ts', 'src/org/a.ts']])
    expect(cycles([a, b])).toEqual([])
  })

  it('is a ring of folders, but not one of types or contracts', () => {
    const moves = scan('src/org/moves.ts', `import { openGate } from '../work/gates/open.ts'`)
    const open = scan('src/work/gates/open.ts', `import { find } from '../../team/find.ts'`)
    const find = scan('src/team/find.ts', `import { move } from '../org/moves.ts'`)
    expect(rings([moves, open, find])).toEqual([
      'src/org → src/work → src/team → src/org: src/team/find.ts imports src/org/moves.ts',
    ])
    expect(rings([moves, open])).toEqual([])
    expect(rings([moves, open, scan('src/team/find.ts', `import type { Move } from '../org/moves.ts'`)])).toEqual([])
    expect(rings([moves, open, scan('src/team/find.ts', `import { Role } from '../org/contract.ts'`)])).toEqual([])
    const loop = scan('src/engine/loop/claim.ts', `import { start } from '../attempt/start.ts'`)
    const start = scan('src/engine/attempt/start.ts', `import { claim } from '../loop/claim.ts'`)
    expect(rings([loop, start])).toHaveLength(1)
  })

  it('is a file without a role', () => {
    expect(() => violations([scan('elsewhere/a.ts', 'export {}')])).toThrow('has no role')
  })
})

/** Returns the files that the linter reports under the repository's own configuration. */
function lint(files: readonly { path: string; text: string }[]): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agency-lint-'))
  try {
    cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
    for (const { path, text } of files) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      writeFileSync(join(folder, path), `${text}\n`)
    }
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    const { stdout } = spawnSync(process.execPath, [oxlint, '--format=json'], { cwd: folder, encoding: 'utf8' })
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] }
    const architectural = diagnostics.filter(({ code }) => /no-restricted|no-default-export/.test(code))
    return new Set(architectural.map((each) => each.filename))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('a test on PostgreSQL', () => {
  it('is found by its use of the store, directly or through an import, and not otherwise', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agency-planted-'))
    const files = {
      'test/support/postgres.ts': 'export const freshDatabase = 1',
      'test/support/store.ts': `import './postgres.ts'\nexport const describeStores = 1, freshSqlite = 1`,
      'src/own.test.ts': `import { describeStores } from '../test/support/store.ts'\ndescribeStores`,
      'src/suite.ts': `import { describeStores } from '../test/support/store.ts'\nexport const all = describeStores`,
      'src/far.ts': `export * from './suite.ts'`,
      'src/through.test.ts': `import { all } from './far.ts'\nall`,
      'src/raw.test.ts': `import { freshDatabase } from '../test/support/postgres.ts'\nfreshDatabase`,
      'src/file.test.ts': `import { freshSqlite } from '../test/support/store.ts'\nfreshSqlite`,
      'src/type.test.ts': `import type { all } from './suite.ts'\nexport type All = typeof all`,
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    expect(filesOnPostgres(folder, ['src', 'test']).filter((path) => path.endsWith('.test.ts'))).toEqual([
      'src/own.test.ts',
      'src/raw.test.ts',
      'src/through.test.ts',
    ])
    rmSync(folder, { recursive: true })
    const found = filesOnPostgres(root, ['src', 'test'])
    for (const path of ['src/db/write.test.ts', 'src/engine/loop/engine.test.ts', 'src/work/runs/runs.test.ts'])
      expect(found).toContain(path)
  })
})
