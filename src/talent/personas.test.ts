import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { openOrg } from '../../test/support/org.ts'
import { describeStores, freshFolder, type OpenFresh } from '../../test/support/store.ts'
import { talentFolders } from '../../test/support/talent.ts'
import type { Actor } from '../kernel/actor.ts'
import { operatorPersona } from '../kernel/ids.ts'
import { noLog } from '../kernel/log.ts'
import { findPersona, type Persona } from '../org/personas/store.ts'
import type { TierName } from '../team/contract.ts'
import { castOne } from './cast.ts'
import { castFromPool, ensurePoolPersona } from './personas.ts'
import { resolveTalent } from './resolve.ts'
import { openTalent } from './service.ts'

const operator: Actor = { kind: 'operator', personaId: operatorPersona }

async function open(openFresh: OpenFresh) {
  const home = freshFolder()
  mkdirSync(join(home, 'talent/agents/ops'), { recursive: true })
  writeFileSync(join(home, 'talent/agents/ops/owl.md'), '---\nname: Night Owl\n---\nYou wake at night.')
  const talent = await openTalent({ folders: talentFolders(home), log: noLog })
  const org = await openOrg(openFresh, { poolText: talent.textOf })
  const ensure = (name: string, streams: Parameters<typeof org.db.write>[0] = []): Promise<Persona> =>
    org.db.write(streams, (tx) => ensurePoolPersona(tx, resolveTalent(talent.pool(), name)))
  return { org, talent, home, ensure }
}

describeStores('a persona from the talent pool', (openFresh) => {
  it('is created once, hidden unless requested, with the text of its file', async () => {
    const { org, talent, ensure } = await open(openFresh)
    const persona = await ensure('sre', ['run:run_x'])
    expect(persona).toMatchObject({
      name: 'sre',
      slug: `engineering-sre-${persona.id}`,
      origin: 'pool',
      status: 'active',
    })
    expect(await ensure('engineering/sre.md', ['org:1', 'system'])).toEqual(persona)
    const names = async (all: boolean) =>
      (await org.personas.list({ active: true, all })).personas.map((each) => each.slug)
    expect(await names(false)).not.toContain(persona.slug)
    expect(await names(true)).toContain(persona.slug)
    expect(await org.contents.readSkill(persona)).toBe((await talent.show('sre')).text)
    expect(await org.contents.readExperience(persona)).toBe('')
    expect((await org.events('system')).at(-1)).toMatchObject({ by: 'engine', message: 'Persona sre created' })
  })

  it('exists once per file, also where two files have the same name', async () => {
    const { home, talent, ensure } = await open(openFresh)
    writeFileSync(join(home, 'talent/agents/ops/second.md'), '---\nname: Night Owl\n---\nYou are another.')
    await talent.reload()
    expect((await ensure('ops/second')).id).not.toBe((await ensure('ops/owl')).id)
  })

  it('is created once by concurrent requests', async () => {
    const { ensure } = await open(openFresh)
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ensure(index % 2 === 0 ? 'sre' : 'code-reviewer', [`run:run_${index}`])),
    )
    expect(new Set(made.map((each) => each.id)).size).toBe(2)
  })

  it('uses an edited file at once, and its own skill.md before that', async () => {
    const { org, home, ensure } = await open(openFresh)
    const owl = await ensure('Night Owl')
    expect(await org.contents.readSkill(owl)).toBe('You wake at night.')
    writeFileSync(join(home, 'talent/agents/ops/owl.md'), '---\nname: Night Owl\n---\nYou sleep by day.')
    expect(await org.contents.readSkill(owl)).toBe('You sleep by day.')
    await org.personas.writeSkill(operator, owl.slug, 'You are mine.')
    expect(await org.contents.readSkill(owl)).toBe('You are mine.')
    await org.personas.appendExperience(operator, owl.slug, 'It was dark.')
    expect(await org.contents.readExperience(owl)).toContain('It was dark.')
  })

  it('stays the same after a rename, and is created again after it was archived', async () => {
    const { org, ensure } = await open(openFresh)
    const first = await ensure('owl')
    await org.personas.update(operator, first.slug, { name: 'Athena', unassign: false })
    expect((await ensure('owl')).id).toBe(first.id)
    await org.personas.archive(operator, first.slug, { unassign: false, preview: false })
    const second = await ensure('owl')
    expect([second.id === first.id, second.name]).toEqual([false, 'Night Owl'])
    expect((await ensure('owl')).id).toBe(second.id)
  })

  it('is cast by name, by tier and domain with a warning, and never to verify itself', async () => {
    const { org, talent } = await open(openFresh)
    const cast = (wanted: Parameters<typeof castFromPool>[2]) =>
      org.db.write(['run:run_x'], (tx) => castFromPool(tx, talent.pool(), wanted))
    const named = await cast({ tier: 't4', domain: 'Security', wanted: 'Night Owl', not: null })
    expect(named).toMatchObject({ personality: 'ops/owl.md', warning: null })
    const doer = await cast({ tier: 't4', domain: 'Security', wanted: 'ghost', not: null })
    expect(doer).toMatchObject({
      personality: 'engineering/security-engineer.md',
      warning: 'the talent pool has no "ghost"; cast security-engineer instead (t4, Security)',
    })
    const judge = await cast({ tier: 't5', domain: 'Security', wanted: null, not: doer.personaId })
    expect(judge).toMatchObject({ personality: 'engineering/code-reviewer.md', warning: null })
    expect(judge.personaId).not.toBe(doer.personaId)
    expect(await org.db.read((tx) => findPersona(tx, judge.personaId))).toMatchObject({ origin: 'pool' })
  })

  it('gives way to a seat holder whose role fits the tier, unless it is named', async () => {
    const { org, talent } = await open(openFresh)
    const seat = async (role: string, name: string): Promise<string> => {
      const { slug } = await org.personas.create(operator, {
        name,
        role,
        type: 'agent',
        subtype: 'internal',
        canCreateChannel: false,
      })
      const { positionId } = await org.positions.create(operator, 'development', {
        title: name,
        role,
        level: 1,
        reportsTo: null,
        escalatesTo: null,
        isCrossCutting: false,
      })
      await org.assignments.assign(operator, positionId, slug, false)
      return slug
    }
    const cast = (tier: TierName, wanted: string | null = null) =>
      org.db.write(['run:run_x'], async (tx) => {
        const request = { organisationId: 1, tier, domain: 'Backend', wanted, not: null }
        return (await findPersona(tx, (await castOne(tx, talent.pool(), request)).personaId))?.slug
      })
    expect(await cast('t4')).toMatch(/^engineering-/)
    const [architect, developer] = [await seat('architect', 'Robbo'), await seat('developer', 'Kim')]
    expect([await cast('t2'), await cast('t3'), await cast('t4')]).toEqual([architect, architect, developer])
    expect(await cast('t5')).toMatch(/^engineering-/)
    expect(await cast('t4', 'sre')).toMatch(/^engineering-sre-/)
  })

  it('reports that its file is missing', async () => {
    const { org, talent, home, ensure } = await open(openFresh)
    const owl = await ensure('owl')
    writeFileSync(join(home, 'talent/agents/ops/owl.md'), '')
    expect(await org.contents.readSkill(owl)).toBe('You wake at night.')
    await talent.reload()
    await expect(org.contents.readSkill(owl)).rejects.toMatchObject({ code: 'not_found' })
  })
})
