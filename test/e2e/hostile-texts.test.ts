import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectShown, signIn } from '../support/dashboard.ts'
import { visitDashboard } from '../support/visit.ts'

if (noBrowser !== null) console.log(`skipped: hostile texts in a browser: ${noBrowser}`)

const filled = (part: string, length = 100_000): string => part.repeat(length / part.length)

const nestedList = Array.from({ length: 440 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n')

/** Texts that overflow the stack of a parser, need far more memory than they have characters, or take minutes. */
const texts: Readonly<Record<string, string>> = {
  'quotes without spaces': filled('>'),
  'quotes with spaces': filled('> '),
  '10,000 quotes': filled('>', 10_000),
  'open emphasis': filled('*a_'),
  'open links': filled('[a](b'),
  'lists within lists': nestedList,
  'lists in one line': filled('- '),
  'quotes below the limit in many lines': filled(`${'>'.repeat(98)}a\n`),
  'open brackets': filled('['),
}

describe.skipIf(noBrowser !== null)('a page with a hostile text', () => {
  let daemon: TestDaemon
  let page: Page
  let slug: string
  visitDashboard(
    (visit) => void ({ page } = visit),
    async (started) => {
      daemon = started
      slug = (await daemon.ask<{ slug: string }>('POST', '/personas', { name: 'Mallory', role: 'developer' })).slug
    },
  )

  it.for(Object.entries(texts))('answers and shows %s', async ([, text]) => {
    await daemon.ask('PUT', `/personas/${slug}/skill`, { text })
    let hasCrashed = false
    page.on('crash', () => (hasCrashed = true))
    await page.addInitScript(() => {
      let last = performance.now()
      const gaps = { longest: 0 }
      Object.assign(window, { gaps })
      setInterval(() => {
        const now = performance.now()
        gaps.longest = Math.max(gaps.longest, now - last)
        last = now
      }, 20)
    })
    await signIn(page, daemon)
    await page.goto(`${daemon.dashboard}/personas/${slug}`)
    const file = page.getByRole('region', { name: 'Skills', exact: true })
    const plain = file.locator('.plain-text')
    // A fast machine formats some of them in time.
    await file.locator('.plain-text, .markdown').first().waitFor({ state: 'attached', timeout: 60_000 })
    expect(hasCrashed).toBe(false)
    if ((await plain.count()) > 0) expect((await plain.textContent())?.trim()).toBe(text.trim())
    const longest = await page.evaluate(() => (window as never as { gaps: { longest: number } }).gaps.longest)
    // Without the worker the page stands still for half a minute.
    expect(longest).toBeLessThan(8_000)
  })

  it('formats the text of a person', async () => {
    await daemon.ask('PUT', `/personas/${slug}/skill`, { text: '# Title\n\n- *one* &amp; two\n' })
    await signIn(page, daemon)
    await page.goto(`${daemon.dashboard}/personas/${slug}`)
    const file = page.getByRole('region', { name: 'Skills', exact: true })
    await expectShown(file.getByRole('heading', { name: 'Title', level: 3 }))
    await expectShown(file.getByRole('listitem').getByText('one & two'))
  })
})
