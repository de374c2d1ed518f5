import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

export interface Inspected {
  found: string[]
  overflow: string[]
}

/** Returns axe's findings and the elements that overflow their container. */
export async function inspect(page: Page): Promise<Inspected> {
  return { found: await runAxe(page), overflow: await overflowing(page) }
}

/** Inspects both themes. Themes differ in colours only, so the light one is checked for colours only. */
export async function inspectInBothThemes(page: Page): Promise<Inspected> {
  await switchTheme(page, 'dark')
  const dark = await inspect(page)
  await switchTheme(page, 'light')
  const light = await runAxe(page, ['color-contrast'])
  return { found: [...dark.found, ...light.map((each) => `in the light theme: ${each}`)], overflow: dark.overflow }
}

/** Switches the theme and waits for the transitions of its colours. */
async function switchTheme(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(async () => {
    const changing = document.getAnimations().filter((each) => each instanceof CSSTransition)
    // The transition of an element that disappears is cancelled, which also ends it.
    await Promise.allSettled(changing.map((each) => each.finished))
  })
}

async function runAxe(page: Page, rules: string[] | null = null): Promise<string[]> {
  // The driver evaluates axe in the page: the page's content security policy allows no foreign script.
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
