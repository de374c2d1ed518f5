import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

import {
  expectSound,
  exportOf,
  importInto,
  openDocuments,
  openDocumentsInMemory,
  previewOf,
} from '../../../test/support/documents.ts'
import { type DrawnOrganisation, drawOrganisation } from '../../../test/support/organisations.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'

/** Returns the content of an export without derived values. */
function essence(text: string): unknown {
  const { organisation, roles, positions } = parse(text) as {
    organisation: Record<string, unknown>
    roles: unknown
    positions: { assignment: Record<string, unknown> | null }[]
  }
  delete organisation['slug']
  for (const { assignment } of positions) {
    delete assignment?.['skill_file']
    delete assignment?.['experience_file']
  }
  return { organisation, roles, positions }
}

describeStores('export, import into an empty store, export', (openFresh, kind) => {
  const runs = kind === 'sqlite' ? 200 : 25

  it(`produces the same document, byte by byte, for ${runs} random organisations`, { timeout: 120_000 }, async () => {
    // All organisations in one store and all in the other: each has a document of its own, and they do not interfere.
    const open = (options: { isEmpty: boolean }) =>
      kind === 'sqlite' ? openDocumentsInMemory(options) : openDocuments(openFresh, options)
    const here = await open({ isEmpty: false })
    const there = await open({ isEmpty: true })
    let first = 0
    const property = async (drawn: DrawnOrganisation): Promise<void> => {
      const slug = await found(here, drawn)
      const text = await exportOf(here, slug)
      expect(essence(text)).toEqual(drawn)
      await importInto(there, text)
      expect(await exportOf(there, slug)).toBe(text)
      expect(await previewOf(there, text)).toEqual(['no changes'])
    }
    await fc.assert(
      fc.asyncProperty(
        drawOrganisation(() => (first += 1_000)),
        property,
      ),
      { numRuns: runs, endOnFailure: true },
    )
    await expectSound(here.db)
    await expectSound(there.db)
  })

  it('produces the same document for the initial organisation and for one with every feature', async () => {
    const here = await openDocuments(openFresh)
    await importInto(here, shop)
    const there = await openDocuments(openFresh, { isEmpty: true })
    for (const name of ['Development', 'Shop']) {
      const text = await exportOf(here, name)
      await importInto(there, text)
      expect(await exportOf(there, name)).toBe(text)
    }
    expect((await there.organisations.list(true)).organisations.map((each) => each.organisationId)).toEqual([1, 5])
  })
})

/** JSON is YAML too, so a generated value is a document as it is. */
async function found(org: Parameters<typeof importInto>[0], drawn: DrawnOrganisation): Promise<string> {
  const { organisationId } = await importInto(org, JSON.stringify(drawn))
  const { organisations } = await org.organisations.list(true)
  return organisations.find((each) => each.organisationId === organisationId)?.slug ?? ''
}
