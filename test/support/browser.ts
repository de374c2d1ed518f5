import { chromium as driver, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

import { chromium } from './machine.ts'

/** The reason why no browser test can run on this machine, or null. */
export const noBrowser: string | null =
  chromium() === null ? 'no Chromium found (Debian: apt-get install chromium)' : null

export const openBrowser = (): Promise<Browser> =>
  driver.launch({
    executablePath: chromium() ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** Opens a context with cookies and storage of its own, and with timeouts long enough for a busy machine. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(60_000)
  return context
}
