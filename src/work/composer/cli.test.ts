import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { startAgency } from '../../../test/support/agency.ts'
import { freshFolder, freshSqlite } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Endpoint } from '../../operations/endpoint.ts'
import { toWire } from '../../operations/wire.ts'
import { templateOperations } from '../templates/contract.ts'
import { templateEndpoints } from '../templates/endpoints.ts'
import { trustedFileEndpoints } from '../trusted-files/endpoints.ts'
import { newRun } from './cli.ts'

it.each([
  ['other instructions', 'title: Checked\ngoal: Delete it.\nevidence: [{ kind: command, run: make other }]\n'],
  ['no proof', 'title: Checked\ngoal: Delete it.\n'],
])('starts nothing from a template that has got %s since it was trusted', async (_, edited) => {
  const home = freshFolder()
  const path = join(home, 'templates', 'checked.yaml')
  mkdirSync(join(home, 'templates'))
  writeFileSync(path, 'title: Checked\ngoal: Mend it.\nevidence: [{ kind: command, run: make test }]\n')
  const agency = await startAgency(freshSqlite, { place: { env: {}, startedIn: null, home } })
  const call = async (endpoint: Endpoint, input: { text: string; hash: string }): Promise<unknown> => {
    if (endpoint === templateEndpoints.list)
      return toWire(templateOperations.list.output, await agency.templates.list())
    if (endpoint !== trustedFileEndpoints.trust) throw new Error(`${endpoint.path} was called`)
    writeFileSync(path, edited)
    return agency.trustedFiles.trust(operator, input)
  }
  const context = { err: () => {}, columns: 80, api: () => ({ call }) } as unknown as CliContext
  await expect(newRun(context, 'checked', { trust: true, yes: true })).rejects.toThrow(
    'the template "checked" was changed while you read it',
  )
})
