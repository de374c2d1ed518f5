import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { openOrg } from '../../test/support/org.ts'
import { freshSqlite } from '../../test/support/store.ts'
import { operator } from '../../test/support/work.ts'
import { writeInitialFiles } from './initial-files.ts'

const guide = 'templates/org-behaviour-guide.md'
const intent = 'organisations/software-development-development-1/intent.md'

it('writes missing files at every start and never changes an edited one', async () => {
  const org = await openOrg(freshSqlite)
  expect(org.look(guide)).toContain('Propose instead')
  org.edit(guide, 'Our own rules.')
  rmSync(join(org.root, 'organisations'), { recursive: true })
  await writeInitialFiles(org.db, org.files)
  expect(org.look(guide)).toBe('Our own rules.')
  expect(org.look(intent)).toContain('# Intent of Development')
})

it('uses the new name of a renamed first organisation', async () => {
  const org = await openOrg(freshSqlite)
  const { slug } = await org.organisations.update(operator, 'development', { name: 'Studio' })
  rmSync(join(org.root, 'organisations'), { recursive: true })
  await writeInitialFiles(org.db, org.files)
  expect(existsSync(join(org.root, intent))).toBe(false)
  expect(org.look(`organisations/${slug}/intent.md`)).toContain('# Intent of Studio')
})
