import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

import { openAgency, startRun } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createVirtualClock } from '../../../test/support/virtual-clock.ts'
import { operator } from '../../../test/support/work.ts'
import { sqlOf } from '../../db/tx.ts'
import { createRebuiltRows } from '../../events/rebuilt-rows.ts'
import { upgrades } from '../../events/upgrades.ts'

/** Settings of a run of an earlier release, with the name of the field inside others and in texts. */
const earlier = {
  runtime: 'scripted',
  runtimeOptions: {
    execution: { kind: 'x' },
    text: '"execution":{"kind":"y"} ü \\ \n \u2028',
    number: 1e21,
    part: 0.1,
  },
  execution: { kind: 'review', contextFiles: ['a "b".md'] },
  workspace: null,
  list: [],
}

/** Returns the statement that a migration plays on runs. */
const statement = (kind: string): string =>
  /UPDATE runs SET configuration[^;]+/.exec(
    readFileSync(new URL(`../../db/migrations/0029.${kind}.sql`, import.meta.url), 'utf8'),
  )?.[0] ?? ''

describeStores('a step of an earlier release', (openFresh, kind) => {
  it('has a purpose after the migration, with the same text in the store and in its events', async () => {
    const clock = createVirtualClock()
    const { db } = await openFresh({ clock })
    const agency = await openAgency({ db, clock })
    const run = await agency.runs.create(operator, startRun(), { kind: 'review', contextFiles: [] })
    const other = await agency.run()
    const rows = createRebuiltRows()
    const text = JSON.stringify(earlier)
    rows.put('runs', [run.id], { configuration: text })
    upgrades.get(29)?.(rows)
    const expected = rows.of('runs')[0]?.columns['configuration']
    const { execution, ...others } = earlier
    expect(JSON.parse(String(expected))).toEqual({ ...others, purpose: execution })
    const undone = new Error('undone')
    const migrated = db.write([`run:${run.id}`], async (tx) => {
      const sql = sqlOf(tx)
      const read = async (id: string) =>
        (await sql.get('SELECT configuration FROM runs WHERE id = ?', [id]))?.['configuration']
      const before = await read(other.id)
      await sql.run('UPDATE runs SET configuration = ? WHERE id = ?', [text, run.id])
      expect(await sql.run(statement(kind))).toBe(1)
      expect(await read(run.id)).toBe(expected)
      expect(await read(other.id)).toBe(before)
      throw undone
    })
    await expect(migrated).rejects.toBe(undone)
  })
})
