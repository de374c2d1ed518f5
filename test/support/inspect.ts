import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

/** What axe finds, and which elements are wider than what shows them. */
export async function inspect(page: Page): Promise<{ found: string[]; overflow: string[] }> {
  // Read into the page by the driver, past the page's own policy, which allows no foreign script.
  await page.evaluate(axeSource)
  const results = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  const found = results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
  const overflow = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('*')]
      .filter(
        (element) =>
          element.scrollWidth > element.clientWidth + 1 &&
          (element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX)),
      )
      .map((element) => `${element.localName}.${element.className} ${element.scrollWidth}>${element.clientWidth}`),
  )
  return { found, overflow }
}
