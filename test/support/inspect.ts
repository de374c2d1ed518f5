import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

export interface Inspected {
  found: string[]
  overflow: string[]
}

/** What axe finds, and which elements are wider than what shows them. */
export async function inspect(page: Page): Promise<Inspected> {
  return { found: await runAxe(page), overflow: await overflowing(page) }
}

/** The same in both themes. Another theme has other colours and nothing else: in the light one only these are looked at. */
export async function inspectInBothThemes(page: Page): Promise<Inspected> {
  await wearTheme(page, 'dark')
  const dark = await inspect(page)
  await wearTheme(page, 'light')
  const light = await runAxe(page, ['color-contrast'])
  return { found: [...dark.found, ...light.map((each) => `in the light theme: ${each}`)], overflow: dark.overflow }
}

/** Some colours take a moment to become others. */
async function wearTheme(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(async () => {
    const changing = document.getAnimations().filter((each) => each instanceof CSSTransition)
    // One whose element goes away meanwhile is cancelled, which is as good.
    await Promise.allSettled(changing.map((each) => each.finished))
  })
}

async function runAxe(page: Page, rules: string[] | null = null): Promise<string[]> {
  // Read into the page by the driver, past the page's own policy, which allows no foreign script.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate((only) => {
    const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }
    return axe.run({ resultTypes: ['violations'], ...(only === null ? {} : { runOnly: only }) })
  }, rules)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}

const overflowing = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('*')]
      .filter(
        (element) =>
          element.scrollWidth > element.clientWidth + 1 &&
          (element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX)),
      )
      .map((element) => `${element.localName}.${element.className} ${element.scrollWidth}>${element.clientWidth}`),
  )
