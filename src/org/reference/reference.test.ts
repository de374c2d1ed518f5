import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import {
  exportOf,
  importInto,
  type DocumentServices,
  openDocuments,
  previewOf,
} from '../../../test/support/documents.ts'
import { createSeenLog, type LogLineSeen } from '../../../test/support/server.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { systemClock } from '../../kernel/clock.ts'
import { loadReference } from './load.ts'

const load = async (org: DocumentServices): Promise<{ loaded: boolean; logged: LogLineSeen[] }> => {
  const logged: LogLineSeen[] = []
  const { db, importer } = org
  return { loaded: await loadReference({ db, clock: systemClock, log: createSeenLog(logged), importer }), logged }
}
const persona = (name: string, role: string) =>
  ({ name, role, type: 'agent', subtype: 'internal', canCreateChannel: false }) as const

describeStores('the organisation of the demonstration', (openFresh) => {
  it('has six seats, Robbo on the first, and Paula without a seat', async () => {
    const org = await openDocuments(openFresh)
    expect((await load(org)).loaded).toBe(true)
    expect((await org.charts.tree('development', false)).text).toBe(`Development (software-development-development-1)
├─ Principal Architect Robbo (architect-robbo-3)  L1, architect
│  └─ Project Manager [vacant]  L2, pm
│     ├─ Senior Developer [vacant]  L3, developer  ⇢ escalates to Principal Architect
│     ├─ Developer [vacant]  L3, developer
│     └─ QA Lead [vacant]  L3, qa  ⇢ escalates to Principal Architect
└─ AR Director [vacant]  L1, ar-director, cross-cutting  ⇢ escalates to Principal Architect
`)
    expect((await org.positions.show(1)).position).toMatchObject({
      title: 'Principal Architect',
      assignment: { personaAssignmentId: 1, personaId: 3, personaSlug: 'architect-robbo-3' },
    })
    expect((await org.assignments.available()).personas).toEqual([
      { personaId: 7, name: 'Paula', slug: 'ar-director-paula-7', role: 'ar-director' },
    ])
    expect((await org.assignments.vacancies('development')).vacancies).toHaveLength(5)
    expect((await org.personas.create(operator, persona('Al', 'qa'))).personaId).toBe(8)
  })

  it('has substantial skills and an intent', async () => {
    const org = await openDocuments(openFresh)
    await load(org)
    const robbo = readFileSync(join(org.root, 'personas/architect-robbo-3/skill.md'), 'utf8')
    const paula = readFileSync(join(org.root, 'personas/ar-director-paula-7/skill.md'), 'utf8')
    for (const skill of [robbo, paula]) {
      for (const heading of [
        'Core identity',
        'Skills & preferences',
        'Communication style',
        'Working in an organisation',
      ])
        expect(skill).toContain(`## ${heading}\n`)
      expect(skill).not.toContain('{{')
    }
    expect(paula).toContain('others propose them to me')
    expect((await org.organisations.readIntent('development')).intent.neverSacrifice).toHaveLength(2)
  })

  it('is loaded once, and never over changes of a person', async () => {
    const org = await openDocuments(openFresh)
    await load(org)
    await org.positions.remove(operator, 6, { preview: false, reparent: false, unassign: false, force: false })
    expect((await load(org)).loaded).toBe(false)
    expect((await org.positions.list('development')).positions).toHaveLength(5)
    const own = await openDocuments(openFresh)
    await own.organisations.set(operator, 'development', 'plans', 'always')
    expect((await load(own)).loaded).toBe(false)
    expect((await own.positions.list('development')).positions).toEqual([])
  })

  it('is not loaded where its ids are taken, with a logged reason', async () => {
    const org = await openDocuments(openFresh)
    await org.personas.create(operator, persona('Al', 'qa'))
    const { loaded, logged } = await load(org)
    expect(loaded).toBe(false)
    expect(logged).toMatchObject([{ level: 'warn', message: expect.stringContaining('persona_id 3 is qa-al-3 here') }])
    expect((await org.positions.list('development')).positions).toEqual([])
  })

  it('round-trips byte by byte through an empty installation', async () => {
    const org = await openDocuments(openFresh)
    await load(org)
    const text = await exportOf(org, 'development')
    const empty = await openDocuments(openFresh, { isEmpty: true })
    await importInto(empty, text)
    expect(await exportOf(empty, 'development')).toBe(text)
    expect(await previewOf(org, text)).toEqual(['no changes'])
  })
})
