import { describe, expect, it } from 'vitest'

import { importInto, openDocuments, openDocumentsInMemory } from '../../../test/support/documents.ts'
import { shop } from '../../../test/support/shop.ts'
import { describeStores } from '../../../test/support/store.ts'

describeStores('the chart of an organisation', (openFresh) => {
  it('shows reporting lines, holders and differing escalation lines', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    expect((await org.charts.tree('shop', false)).text).toBe(`Shop (trade-shop-5)
├─ Boss Ada (boss-ada-30)  L1, boss, lead
│  └─ Till [vacant]  L2, clerk
└─ Auditor [vacant]  L1, clerk, cross-cutting  ⇢ escalates to Boss
`)
  })

  it('contains every seat with its lines and its holder', async () => {
    const org = await openDocuments(openFresh)
    await importInto(org, shop)
    const { organisation, seats } = await org.charts.chart('Shop')
    expect(organisation).toMatchObject({ organisationId: 5, slug: 'trade-shop-5' })
    expect(seats).toHaveLength(3)
    expect(seats[0]).toEqual({
      positionId: 10,
      title: 'Boss',
      role: 'boss',
      level: 1,
      isCrossCutting: false,
      isLead: true,
      reportsToId: null,
      escalatesToId: null,
      holder: { personaId: 30, name: 'Ada', slug: 'boss-ada-30' },
    })
    expect(seats[1]).toMatchObject({ reportsToId: 10, escalatesToId: 10, holder: null })
  })
})

describe('rendering a chart', () => {
  it('renders a Mermaid diagram with any titles', async () => {
    const org = await openDocumentsInMemory()
    await importInto(
      org,
      shop
        .replaceAll('Till', 'Till "A" <b> #1 & co')
        .replace('title: Till "A" <b> #1 & co', 'title: \'Till "A" <b> #1 & co\''),
    )
    expect((await org.charts.tree('shop', true)).text).toBe(`graph TD
  operator((operator))
  p10["Boss<br/>Ada"]
  p11["Till #quot;A#quot; #lt;b#gt; #35;1 #amp; co<br/>vacant"]
  p12["Auditor<br/>vacant"]
  operator --> p10
  p10 --> p11
  operator --> p12
  p12 -. escalates .-> p10
`)
  })

  it('states that an organisation has no seats', async () => {
    const org = await openDocumentsInMemory()
    expect((await org.charts.tree('development', false)).text).toBe(
      'Development (software-development-development-1)\n(no seats)\n',
    )
    await expect(org.charts.tree('nowhere', false)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('renders one long chain of seats', async () => {
    const org = await openDocumentsInMemory()
    const seats = Array.from(
      { length: 2_000 },
      (_, i) => `  - { title: S${i}, role: qa, reports_to: ${i === 0 ? null : `S${i - 1}`} }`,
    )
    await importInto(org, `organisation: { name: Line, purpose: x }\npositions:\n${seats.join('\n')}\n`)
    const lines = (await org.charts.tree('Line', false)).text.split('\n')
    expect(lines).toHaveLength(2_002)
    expect(lines.at(-2)).toMatch(/^ {123}└─ S1999 \[vacant\]/)
  })
})
