import { expect, it } from 'vitest'

import { describeStores } from '../../test/support/store.ts'
import { column, columns, countRows, flag, integer, json, oneOf, optional, text } from './columns.ts'
import { sqlOf } from './tx.ts'

describeStores('the columns of a query', (openFresh) => {
  it('convert numbers, sums, comparisons and JSON to equal values on both stores', async () => {
    const { db } = await openFresh()
    const rows = await db.write([], async (tx) => {
      const sql = sqlOf(tx)
      for (const [id, name] of [
        [1, 'one'],
        [2, 'two'],
      ] as const)
        await sql.run('INSERT INTO roles (id, name, description) VALUES (?, ?, ?)', [id, name, '{"a":[1]}'])
      return columns({
        roleId: integer,
        name: oneOf(['one', 'two']),
        total: integer,
        isFirst: flag,
        missing: optional(text),
        description: json<{ a: number[] }>(),
      }).all(
        sql,
        `SELECT id AS role_id, name, (SELECT SUM(id) FROM roles) AS total, id = 1 AS is_first,
CAST(NULL AS TEXT) AS missing, description FROM roles ORDER BY id`,
      )
    })
    const shared = { total: 3, missing: null, description: { a: [1] } }
    expect(rows).toEqual([
      { roleId: 1, name: 'one', isFirst: true, ...shared },
      { roleId: 2, name: 'two', isFirst: false, ...shared },
    ])
  })

  it('return undefined for a first row that does not exist, and throw where one must exist', async () => {
    const { db } = await openFresh()
    const none = 'SELECT id FROM roles WHERE id = 0'
    const ids = column('id', integer)
    expect(await db.read((tx) => ids.first(sqlOf(tx), none))).toBeUndefined()
    await expect(db.read((tx) => ids.one(sqlOf(tx), none))).rejects.toThrow('no row from')
    expect(await db.read((tx) => countRows(sqlOf(tx), 'SELECT COUNT(*) AS count FROM roles'))).toBe(0)
  })

  it('throw on a value of another type and on a column that the query does not select', async () => {
    const { db } = await openFresh()
    const read = (query: string, type: typeof text | typeof integer) =>
      db.read((tx) => column<string | number>('x', type).one(sqlOf(tx), query))
    await expect(read('SELECT 1 AS x', text)).rejects.toThrow('the column "x" is 1')
    await expect(read('SELECT CAST(NULL AS INTEGER) AS x', integer)).rejects.toThrow('the column "x" is null')
    await expect(read('SELECT 1 AS y', integer)).rejects.toThrow('the column "x" is undefined')
  })
})
