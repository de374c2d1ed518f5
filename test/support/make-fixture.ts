import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

import { openSqlite } from '../../src/db/sqlite.ts'
import { table } from '../../src/db/table.ts'
import { nextCounter } from '../../src/db/tx.ts'
import { appendEvent } from '../../src/events/append.ts'
import { change, create } from '../../src/events/change.ts'
import { createVirtualClock } from './virtual-clock.ts'

/**
 * `node test/support/make-fixture.ts <number>` writes a store as the Agency of this checkout creates it. One is kept for
 * every released schema: later versions must open it. Run it when a migration is added, never for an older number.
 */
const number = process.argv[2]
if (number === undefined) throw new Error('usage: node test/support/make-fixture.ts <number>')
const path = fileURLToPath(new URL(`../fixtures/store-${number.padStart(4, '0')}.db`, import.meta.url))
rmSync(path, { force: true })

interface Role {
  id: number
  name: string
  description: string
}
const roles = table<Role>('roles', { stream: () => 'org:1' })

const clock = createVirtualClock('2026-01-01T00:00:00.000Z')
const db = await openSqlite({ path, clock, chainKey: new Uint8Array(32).fill(7) })
await db.write(['org:1'], async (tx) => {
  const id = await nextCounter(tx, 'roles')
  const event = { kind: 'org_changed', by: 'operator', message: 'a role' } as const
  const role = await create(tx, roles, { id, name: 'Developer', description: 'builds' }, event)
  await change(tx, roles, role, { description: 'builds and mends' }, event)
})
await db.once('a key', 'a digest', () =>
  db.write(['system'], (tx) => appendEvent(tx, 'system', { kind: 'log', by: 'daemon', message: 'hello' })),
)
await db.close()

// Small pages, because half of the usual ones would be empty.
const file = new DatabaseSync(path)
file.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM')
file.close()
