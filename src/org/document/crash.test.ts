// @suite process

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { exportOf, expectSound, importInto } from '../../../test/support/documents.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores, freshFolder, type OpenFresh } from '../../../test/support/store.ts'
import { systemClock } from '../../kernel/clock.ts'
import { noLog } from '../../kernel/log.ts'
import { agentWork } from '../../work/agent-work.ts'
import { composeOrganisation } from '../compose.ts'
import { listFileMoves } from '../file-moves-store.ts'
import { seedOrganisation } from '../seed.ts'

const script = join(import.meta.dirname, '../../../test/support/crash-during-import.ts')

/** Imports in another process that kills itself at the step, then recovers as the next start does. */
async function afterDeath(openFresh: OpenFresh, step: string, between: (root: string) => void = () => {}) {
  const { db, place } = await openFresh()
  const root = join(freshFolder(), 'data')
  await seedOrganisation(db)
  const child = spawn(process.execPath, [script, step, JSON.stringify(place), root], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  expect(signal).toBe('SIGKILL')
  between(root)
  const org = composeOrganisation({ db, clock: systemClock, log: noLog, work: agentWork, data: root })
  await org.files.recover()
  expect(await db.read(listFileMoves)).toEqual([])
  expect(readdirSync(join(root, '.staging'))).toEqual([])
  await expectSound(db)
  return { db, org, root }
}

const places = [
  'organisations/trade-shop-5/intent.md',
  'personas/boss-ada-30/skill.md',
  'personas/boss-ada-30/handoffs',
]

describeStores('an import interrupted by kill -9', (openFresh) => {
  it.each(['staged', 'written'])('has no effect when killed at the step %s and can be repeated', async (step) => {
    const { db, org, root } = await afterDeath(openFresh, step)
    await expect(exportOf(org, 'shop')).rejects.toMatchObject({ code: 'not_found' })
    expect(places.filter((place) => existsSync(join(root, place)))).toEqual([])
    await importInto(org, shop)
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
    await expectSound(db)
  })

  it.each(['committed', 'moved'])('takes full effect when killed at the step %s, rows and files', async (step) => {
    const { org, root } = await afterDeath(openFresh, step)
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
    const text = await exportOf(org, 'shop')
    expect(text).toContain('- Honesty')
    const { changes } = await importInto(org, text)
    expect(changes.filter(({ action }) => action !== 'unchanged')).toEqual([])
  })

  it('is finished by the next start when some of its files are in place', async () => {
    const { root } = await afterDeath(openFresh, 'committed', (data) => {
      const stage = join(data, '.staging')
      const [folder] = readdirSync(stage)
      renameSync(join(stage, folder ?? '', 'o'), join(data, 'organisations/trade-shop-5'))
    })
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([])
  })
})
