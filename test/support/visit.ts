import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

import { openBrowser, openContext } from './browser.ts'
import { createTestDaemon, type TestDaemon } from './daemon.ts'
import { buildDashboard, type Dashboard, signIn, watchComplaints } from './dashboard.ts'

/** A fresh browser context and the daemon that all tests of the file share. */
export interface Visit {
  readonly daemon: TestDaemon
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  /** Signs in, then opens the path. */
  enter(path?: string): Promise<void>
}

/**
 * Registers hooks: `begin` runs once with the daemon, `arrive` before each test. An error in the browser fails the
 * test.
 */
export function visitDashboard(
  arrive: (visit: Visit) => unknown,
  begin: (daemon: TestDaemon) => unknown = () => {},
  environment: Readonly<Record<string, string>> = {},
): void {
  let dashboard: Dashboard
  let daemon: TestDaemon
  let browser: Browser
  let context: BrowserContext
  let complaints: string[]

  beforeAll(async () => {
    dashboard = await buildDashboard()
    daemon = await createTestDaemon(dashboard.root, environment)
    await daemon.start()
    browser = await openBrowser()
    await begin(daemon)
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.remove()
    dashboard?.remove()
  })
  beforeEach(async () => {
    context = await openContext(browser, { viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    complaints = watchComplaints(page)
    const enter = async (path = '/'): Promise<void> => {
      await signIn(page, daemon)
      await page.goto(daemon.dashboard + path)
    }
    await arrive({ daemon, browser, context, page, enter })
  })
  afterEach(async () => {
    await context.close()
    if (complaints.length > 0) throw new Error(`the browser reported errors:\n${complaints.join('\n')}`)
  })
}
