import { expect, it } from 'vitest'
import { z } from 'zod'

import { changeRun } from '../../../test/support/change-run.ts'
import { openOrg, type TestOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { addBriefs } from './add.ts'

const persona = { role: 'qa', type: 'agent', subtype: 'internal', canCreateChannel: false } as const

/** Seats the persona Ada in Development; returns the ids of persona and seat. */
async function seatAda({ personas, positions, assignments }: TestOrg): Promise<{ id: number; positionId: number }> {
  const { personaId: id } = await personas.create(operator, { ...persona, name: 'Ada' })
  const { positionId } = await positions.create(operator, 'Development', {
    title: 'One',
    role: 'qa',
    level: 1,
    reportsTo: null,
    escalatesTo: null,
    isCrossCutting: false,
  })
  await assignments.assign(operator, positionId, 'ada', false)
  return { id, positionId }
}

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

  it('passes its seat on to the rest of its work', async () => {
    const org = await openOrg(openFresh)
    const { positionId } = await seatAda(org)
    const wrote = (path: string) => ({ write: { path, text: 'x\n' } })
    const evidence = ['a.md', 'b.md'].map((path) => ({ kind: 'file' as const, path }))
    const run = await org.agency.run({
      briefs: [{ key: 'poem', objective: 'A poem', persona: 'ada', evidence }],
      play: [
        [wrote('a.md'), { report: { status: 'partial', summary: 'Half', outputs: ['a.md'], remaining: 'b.md' } }],
        [wrote('b.md'), { report: { status: 'done', summary: 'The rest', outputs: ['b.md'] } }],
      ],
    })
    await org.agency.settled(run)
    expect(await org.agency.brief(run, 'poem:rest:1')).toMatchObject({ positionId })
  })

  it('has the seat of the persona that a playbook has cast', async () => {
    const org = await openOrg(openFresh)
    const { id, positionId } = await seatAda(org)
    const run = await org.agency.run({ play: [[{ hang: {} }]] })
    const cast = { tier: 'painter', domain: null, wanted: null }
    const sky = {
      key: 'sky',
      kind: 'plan',
      phase: 'paint',
      title: 'Paint',
      objective: 'Paint',
      part: 'picture',
      cast,
      retryBudget: 1,
    } as const
    await changeRun(org.agency, run, (scope) => {
      const playbook = { ...scope.playbook, briefData: z.looseObject({}) }
      const ada = async () => ({ personaId: id, personality: null, warning: null })
      return addBriefs({ ...scope, playbook, cast: ada }, [{ ...sky, data: {} }])
    })
    expect(await org.agency.brief(run, 'sky')).toMatchObject({ personaId: id, positionId })
    await org.agency.runs.cancel(operator, run.id, undefined)
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
