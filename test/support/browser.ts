import { chromium as driver, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'

import { chromium } from './machine.ts'

/** Why no test in a browser can run here, or null. */
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

/** A browser of its own, as far as cookies and storage go; patient, for a machine that has other things to do as well. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(60_000)
  return context
}
