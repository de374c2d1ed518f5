import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import { noBrowser, openBrowser, openContext } from '../support/browser.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import {
  buildDashboard,
  type Dashboard,
  expectGone,
  expectShown,
  settled,
  signIn,
  startGatedRun,
  startRun,
  watchComplaints,
} from '../support/dashboard.ts'
import { inspectInBothThemes } from '../support/inspect.ts'

const widths = [390, 1280] as const

if (noBrowser !== null) console.log(`skipped: access to the dashboard in a browser: ${noBrowser}`)

describe.skipIf(noBrowser !== null)('accessibility of the dashboard', () => {
  let dashboard: Dashboard
  let daemon: TestDaemon
  let empty: TestDaemon
  let browser: Browser
  let places: Record<string, string>

  beforeAll(async () => {
    dashboard = await buildDashboard()
    daemon = await createTestDaemon(dashboard.root)
    empty = await createTestDaemon(dashboard.root)
    await Promise.all([daemon.start(), empty.start()])
    browser = await openBrowser()
    const failed = await startRun(daemon, 'failed', `Prove the impossible, ${'and say so in one breath, '.repeat(8)}`)
    const done = await startRun(daemon, 'done', 'Something short')
    await startRun(daemon, 'blocked', 'Averyveryverylongwordwithoutanyspaces'.repeat(4))
    const { run: working } = await startGatedRun(daemon, 'Two briefs under way')
    await untilEnded(daemon, [failed.id, done.id])
    places = {
      inbox: '/',
      runs: '/runs',
      'failed run': `/runs/${failed.id}`,
      'done run': `/runs/${done.id}`,
      'run under way': `/runs/${working.id}`,
      'chosen line': `/runs/${done.id}#2`,
      briefs: `/runs/${working.id}?view=tree`,
      output: `/runs/${done.id}?view=output`,
      'proof sheet': `/runs/${failed.id}/proof`,
      'pull requests': '/pull-requests',
      'new run': '/new',
      workspaces: '/workspaces',
      events: '/events',
      settings: '/settings',
      'missing page': '/nowhere',
      'missing run': '/runs/run_zzzzzzzzzzzz',
    }
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([daemon?.remove(), empty?.remove()])
    dashboard?.remove()
  })

  for (const width of widths)
    it(`has no horizontal overflow and no axe findings, dark and light, ${width} pixels wide`, async () => {
      const context = await openContext(browser, { viewport: { width, height: 844 } })
      const page = await context.newPage()
      const complaints = watchComplaints(page)
      const expectSound = async (name: string): Promise<void> =>
        expect({ name, ...(await inspectInBothThemes(page)) }).toEqual({ name, found: [], overflow: [] })
      await signIn(page, daemon)
      for (const [name, path] of Object.entries(places)) {
        await page.goto('about:blank')
        await page.goto(daemon.dashboard + path)
        await settled(page)
        await expectSound(name)
      }
      await page.goto(daemon.dashboard)
      await settled(page)
      await page.keyboard.press('Control+k')
      await expectShown(page.getByRole('listbox').getByRole('option').first())
      await expectSound('palette')
      await page.goto(`${daemon.dashboard}${places['run under way']}`)
      await settled(page)
      await page.getByRole('button', { name: 'Cancel run' }).click()
      await expectShown(page.getByRole('dialog'))
      await expectSound('question')

      const used = await openContext(browser)
      const link = await empty.link()
      await (await used.newPage()).goto(link)
      await expectShown(used.pages()[0]?.getByRole('heading', { level: 1, name: 'Inbox' }) as Locator)
      await page.goto(link)
      await expectShown(page.getByRole('heading', { name: 'This browser is signed out' }))
      await expectShown(page.getByText('This link was already used, or it is older than ten minutes.'))
      await used.close()
      await expectSound('signed out')
      await signIn(page, empty)
      for (const path of ['/', '/runs', '/events']) {
        await page.goto(empty.dashboard + path)
        await settled(page)
        await expectSound(`${path}, empty`)
      }
      await context.close()
      expect(complaints).toEqual([])
    })

  it('moves focus with Tab in reading order, with focus always visible', async () => {
    const context = await openContext(browser, { viewport: { width: 1280, height: 844 } })
    const page = await context.newPage()
    await signIn(page, daemon)
    await page.goto(`${daemon.dashboard}${places['run under way']}?view=log`)
    await settled(page)
    const walked: string[] = []
    for (;;) {
      await page.keyboard.press('Tab')
      const { name, seen } = await page.evaluate(() => {
        const element = document.activeElement
        if (element === null || element === document.body) return { name: '', seen: true }
        const style = getComputedStyle(element)
        const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
        const name = element.getAttribute('aria-label') ?? label ?? element.textContent ?? ''
        const kind = element.role === 'tab' ? 'Tab ' : ''
        return { name: kind + name.trim(), seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 }
      })
      if (name === '' || walked.includes(name)) break
      expect({ name, seen }).toEqual({ name, seen: true })
      walked.push(name)
    }
    expect(walked.map((name) => name.replace(/[ +]*\d.*/, ''))).toEqual([
      'Skip to content',
      'Selected organisation',
      'New runn',
      'Inbox',
      'Runs',
      'Pull requests',
      'Organisation',
      'Workspaces',
      'Events',
      'Settings',
      'Go toCtrl K',
      'Pause run',
      'Cancel run…',
      'Tab Log',
      'Briefs and attempts',
      'Width of the tree',
      'Tab Events',
      'Filter lines by text',
      'Verbose',
      'Pause',
      'Log of the run: lines',
    ])
    await context.close()
  })

  it('moves through the tree with the arrow keys and opens a brief with Enter', async () => {
    const context = await openContext(browser, { viewport: { width: 1280, height: 844 } })
    const page = await context.newPage()
    await signIn(page, daemon)
    await page.goto(`${daemon.dashboard}${places['run under way']}`)
    const tree = page.getByRole('tree')
    await expectShown(tree.getByRole('treeitem', { name: /attempt 1/ }))
    await tree.focus()
    const active = (): Promise<string> =>
      tree.evaluate(
        (element) => document.getElementById(element.getAttribute('aria-activedescendant') ?? '')?.textContent ?? '',
      )
    while (!(await active()).startsWith('Write poem.txt')) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    await expectGone(tree.getByRole('treeitem', { name: /attempt 1/ }))
    await page.keyboard.press('ArrowRight')
    await expectShown(tree.getByRole('treeitem', { name: /attempt 1/ }))
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('article', { name: 'Brief Write poem.txt' }))
    await expect.poll(() => tree.evaluate((element) => element === document.activeElement)).toBe(true)
    await context.close()
  })

  it('keeps a chosen theme across a reload, against the system’s theme', async () => {
    const context = await openContext(browser, { colorScheme: 'light' })
    const page = await context.newPage()
    await page.goto(await daemon.link('/settings'))
    await page.getByRole('radio', { name: 'dark' }).check()
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    await expectShown(page.locator('html[data-theme=dark]'))
    const dark = await ground()
    await page.reload()
    await settled(page)
    expect(await ground()).toBe(dark)
    await page.getByRole('radio', { name: 'same as the system' }).check()
    await expect.poll(ground).not.toBe(dark)
    await context.close()
  })
})

async function untilEnded(daemon: TestDaemon, runIds: string[]): Promise<void> {
  for (const runId of runIds)
    while ((await daemon.ask<{ ended_at: string | null }>('GET', `/runs/${runId}`)).ended_at === null) await pause(20)
}
