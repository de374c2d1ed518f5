import { chromium as driver, type Browser } from 'playwright-core'

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
