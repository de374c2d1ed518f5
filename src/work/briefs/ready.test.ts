import { expect, it } from 'vitest'

import { startAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { findWork } from './ready-store.ts'

describeStores('the search for ready briefs', (openFresh) => {
  it('is one small query while all runs wait for an approval or a pause', async () => {
    const agency = await startAgency(openFresh)
    // A connection of its own counts its own statements only.
    const db = await agency.store.open()
    const search = async (): Promise<{ found: number; statements: number }> => {
      const before = db.statements()
      const { ready } = await db.read((tx) => findWork(tx, { limit: 4 }))
      return { found: ready.length, statements: db.statements() - before }
    }
    const empty = await search()
    expect(empty.found).toBe(0)
    await agency.run({ planGate: true, briefs: [{ key: 'a', objective: 'Do' }] })
    const second = await agency.run({ planGate: true, briefs: [{ key: 'a', objective: 'Do' }] })
    await agency.gates.pause(operator, second.id, undefined)
    expect(await search()).toEqual(empty)
  })

  it('continues with the briefs as soon as one run is at work', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const briefs = ['a', 'b'].map((key) => ({ key, objective: 'Do' }))
    await agency.run({ briefs, play: [[{ log: 'gate go' }]] })
    await agency.passed('attempt.started')
    const { ready } = await (await agency.store.open()).read((tx) => findWork(tx, { limit: 4 }))
    expect(ready).toHaveLength(1)
    agency.gate('go').open()
  })
})
