import { expect, it } from 'vitest'

import { openOrg } from '../../../test/support/org.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'

describeStores('roles', (openFresh) => {
  it('exist from the first start and can be added', async () => {
    const { roles } = await openOrg(openFresh)
    const made = await roles.create(operator, 'Data Scientist', 'Models and their limits')
    expect(made).toEqual({ roleId: 8, name: 'Data Scientist', description: 'Models and their limits' })
    const { roles: all } = await roles.list()
    expect(all.map((role) => role.name)).toEqual([
      'architect',
      'pm',
      'developer',
      'qa',
      'ar-director',
      'operator',
      'system',
      'Data Scientist',
    ])
    expect(all.at(-1)).toEqual(made)
  })

  it('are unique, ignoring case', async () => {
    const { roles, events } = await openOrg(openFresh)
    await roles.create(operator, 'Prüfer', '')
    for (const name of ['qa', 'QA', 'PRÜFER', 'Pru\u0308fer'])
      await expect(roles.create(operator, name, '')).rejects.toMatchObject({ code: 'conflict' })
    expect((await roles.list()).roles).toHaveLength(8)
    expect(await events('system')).toHaveLength(1)
  })

  it('created by concurrent requests exist once', async () => {
    const { roles } = await openOrg(openFresh)
    const results = await Promise.allSettled(['Scout', 'SCOUT'].map((name) => roles.create(operator, name, '')))
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('can get a new description', async () => {
    const { roles, events } = await openOrg(openFresh)
    expect(await roles.update(operator, 'QA', 'Says no')).toEqual({ roleId: 4, name: 'qa', description: 'Says no' })
    await roles.update(operator, 'qa', 'Says no')
    expect(await events('system')).toMatchObject([
      { data: { noun: 'role', action: 'update', role_id: 4, by_persona_id: 1 } },
    ])
    await expect(roles.update(operator, 'qaa', 'x')).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Did you mean "qa"?',
    })
  })
})
