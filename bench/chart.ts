import type { Page } from 'playwright-core'

import { noBrowser, openBrowser } from '../test/support/browser.ts'
import { createTestDaemon } from '../test/support/daemon.ts'
import { buildDashboard } from '../test/support/dashboard.ts'
import { company, importOrganisation } from '../test/support/organisation.ts'
import { atLeast, type Benchmark, type Figure, median, withoutTarget, skipped } from './figures.ts'

const name = 'chart: frames a second while 500 seats in view are panned'

/** Frame rate of the organisation chart while it is panned. All 500 seats are in the window and move in every frame. */
export const chart: Benchmark = {
  name: 'chart',
  async run({ quick, log }): Promise<Figure[]> {
    if (noBrowser !== null) return [skipped(name, 'fps', '≥ 30', noBrowser)]
    const dashboard = await buildDashboard()
    const daemon = await createTestDaemon(dashboard.root)
    await daemon.start()
    const browser = await openBrowser()
    try {
      const { slug } = await importOrganisation(daemon, company('Big company', 500))
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
      await page.goto(await daemon.link(`/org/${slug}`))
      await page.waitForFunction(() => document.querySelectorAll('.seat').length === 500)
      const panned: number[] = []
      for (let round = 0; round < (quick ? 2 : 5); round++) {
        panned.push(await framesPerSecond(page, quick ? 1_500 : 4_000))
        log(`panned ${panned.at(-1)?.toFixed(0)} fps`)
      }
      await withoutLayer(page)
      const repainted = await framesPerSecond(page, 2_000)
      log(`without a layer of its own ${repainted.toFixed(0)} fps`)
      return [
        atLeast(name, median(panned), 30, 'fps'),
        withoutTarget('chart: the same without a layer of its own, to compare', repainted, 'fps'),
      ]
    } finally {
      await browser.close()
      await daemon.remove()
      dashboard.remove()
    }
  },
}

/** Turns the wheel a little in each frame, in circles. The first 30 frames, which paint the layer, are not counted. */
const framesPerSecond = (page: Page, ms: number): Promise<number> =>
  page.evaluate(
    (length) =>
      new Promise<number>((resolve) => {
        const chartWindow = document.querySelector('.chart-window')
        let begin = 0
        let frames = -30
        const step = (now: number): void => {
          frames += 1
          if (frames === 0) begin = now
          if (frames > 0 && now - begin >= length) return resolve((frames * 1_000) / (now - begin))
          const turn = { deltaX: 14 * Math.cos(now / 500), deltaY: 9 * Math.sin(now / 300) }
          chartWindow?.dispatchEvent(new WheelEvent('wheel', { ...turn, bubbles: true, cancelable: true }))
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    ms,
  )

const withoutLayer = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const sheet of document.styleSheets)
      for (let index = sheet.cssRules.length - 1; index >= 0; index--)
        if (sheet.cssRules[index]?.cssText.includes('[data-moving]')) sheet.deleteRule(index)
  })
