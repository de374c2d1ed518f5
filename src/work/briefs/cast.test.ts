import { expect, it } from 'vitest'

import { openOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'

const persona = { role: 'qa', type: 'agent', subtype: 'internal', canCreateChannel: false } as const

describeStores('a brief', (openFresh) => {
  const by = (name?: string) => ({
    briefs: [{ key: 'poem', objective: 'A poem', ...(name === undefined ? {} : { persona: name }) }],
  })

  it('names the seat of its persona, if it has one seat in the organisation of the run', async () => {
    const { agency, personas, positions, assignments } = await openOrg(openFresh)
    for (const name of ['Ada', 'Bo', 'Cy']) await personas.create(operator, { ...persona, name })
    const seat = (title: string) =>
      positions.create(operator, 'Development', {
        title,
        role: 'qa',
        level: 1,
        reportsTo: null,
        escalatesTo: null,
        isCrossCutting: false,
      })
    const [first, second, third] = [await seat('One'), await seat('Two'), await seat('Three')]
    await assignments.assign(operator, first.positionId, 'ada', false)
    for (const { positionId } of [second, third]) await assignments.assign(operator, positionId, 'bo', false)
    const seats = await Promise.all(
      [by('ada'), by('bo'), by('cy'), by()].map(async (input) => {
        const run = await agency.settled(await agency.run(input))
        return (await agency.brief(run, 'poem')).positionId
      }),
    )
    expect(seats).toEqual([first.positionId, null, null, null])
  })

  it('starts an agent for each attempt; a delivery to a live agent is refused while there is no driver', async () => {
    const { agency } = await openOrg(openFresh)
    const run = await agency.settled(await agency.run(by()))
    expect(await agency.brief(run, 'poem')).toMatchObject({ dispatch: 'spawn' })
    const briefs = [{ key: 'poem', objective: 'A poem', dispatch: 'deliver' as const }]
    await expect(agency.run({ briefs })).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'brief "poem": no driver for dispatch "deliver" exists',
      hint: 'Leave it out, or use one of: spawn.',
    })
    expect((await agency.runs.list({ limit: 10 })).runs).toHaveLength(1)
  })
})
