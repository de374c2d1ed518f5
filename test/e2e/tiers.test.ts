import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { toWire } from '../../src/operations/wire.ts'
import { runOperations } from '../../src/work/runs/contract.ts'
import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectShown, openView, settled, type WireRun } from '../support/dashboard.ts'
import { inspectInBothThemes } from '../support/inspect.ts'
import { tieredRows } from '../support/tiered-rows.ts'
import { type Visit, visitDashboard } from '../support/visit.ts'

if (noBrowser !== null) console.log(`skipped: tiered runs in a browser: ${noBrowser}`)

describe.skipIf(noBrowser !== null)('a tiered run on the dashboard', () => {
  let daemon: TestDaemon
  let page: Page
  let enter: Visit['enter']
  visitDashboard((visit) => ({ daemon, page, enter } = visit))

  const tree = () => page.getByRole('tree', { name: 'Tiers, workstreams and briefs' })
  const item = (name: RegExp) => tree().getByRole('treeitem', { name })
  const view = (name: string) => openView(page, name === 'Verdicts' ? 'Evidence' : 'Work', name)
  const card = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })

  it('is shown and decided tier by tier', async () => {
    const run = await daemon.ask<WireRun>('POST', '/demo', { manual: true })
    await enter(`/runs/${run.id}`)
    await expectShown(item(/T1 plan, critique, accept \[GATE: pending review\]/))
    const plan = card('The plan is ready')
    for (const part of ['Produced', 'Next', 'Estimate', 'Anomalies'])
      await expectShown(plan.getByText(part, { exact: true }))

    await plan.getByRole('link', { name: 'Show the plan' }).click()
    await expectShown(page.getByRole('heading', { name: 'Self-critique' }))
    await expectShown(page.getByRole('table', { name: 'Workstreams' }).getByText('T2 → T3 → T4 → T5').first())
    await page.getByText(/^As JSON/).click()
    await expectShown(page.getByRole('region', { name: 't1_plan as JSON' }).getByText('"parallelism"'))

    await plan.getByRole('button', { name: 'Reject…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Say who watches it at night.')
    await dialog.getByRole('button', { name: 'Reject with this reason' }).click()
    await expectShown(page.getByText('version 2'))
    await card('The plan is ready').getByRole('button', { name: 'Approve and start the plan' }).click()

    await view('Architecture')
    await expectShown(page.getByRole('heading', { name: 'Canonical architecture' }))
    await expectShown(page.getByRole('table', { name: 'Domain boundaries' }))
    await card('The architecture is ready').getByRole('button', { name: 'Approve and start the squads' }).click()

    await view('Verdicts')
    await page.getByRole('button', { name: /^fail queue-client, attempt 2/ }).focus()
    const pointed = page.getByRole('region', { name: 'Selected verdict' })
    await expectShown(pointed.getByText('fail', { exact: true }))
    await expectShown(pointed.locator('.issue').first())

    // The documentation comes last, with an architecture of its own, after the others are done.
    await expectShown(card('The architecture is ready'))
    await expectShown(page.getByText('joint verdict: pass').first())
    for (const tier of [/^T1 plan, critique/, /^T2 lead, specialists/]) await item(tier).click()
    await expectShown(item(/^backend-api T2 → T3 → T4 → T5 done · 7\/7 done/))
    await item(/^T4 workers 4\/4 done$/)
      .first()
      .click()
    await item(/^Client of the queue verified · retry 2\/3/)
      .locator('.opener')
      .click()
    await expectShown(item(/^Verify Client of the queue/).last())

    await view('Tasks')
    await expectShown(page.getByText('no overlaps'))
    await page.getByRole('combobox', { name: 'Domain' }).selectOption({ label: 'backend, wave 1' })
    await expectShown(page.getByRole('row', { name: /^event-store .* pipeline event-schema verified/ }))
    await expectShown(page.getByText('1 overlap found in the drafts').first())
    expect(await page.getByText('infra/main').count()).toBe(0)

    await page.setViewportSize({ width: 390, height: 844 })
    for (const name of ['Plan', 'Architecture', 'Tasks', 'Verdicts']) {
      await view(name)
      expect({ name, ...(await inspectInBothThemes(page)) }).toEqual({ name, found: [], overflow: [] })
    }
    await page.goto(`${daemon.dashboard}/runs`)
    await expectShown(page.locator(`tr[data-run=${run.id}]`).getByText('tiered T1–T5'))
  })

  it('stays fast with 500 workstreams and 2,000 tasks', async () => {
    const rows = tieredRows({ workstreams: 500, tasks: 4 })
    const nothing = {
      state: 'running',
      decisions: 0,
      progress: { done: 0, total: 2_000, dropped: 0 },
      waitsFor: null,
      dependencies: [],
      evidence: [],
      questions: [],
      notes: [],
      personas: [],
      continuedBy: [],
      spends: [],
      events: [],
      documents: {},
    }
    const body = toWire(runOperations.inspect.output, { ...nothing, ...rows, status: rows.run.status })
    await page.route(/\/inspect/, (route) => route.fulfill({ json: body }))
    await page.route(/\/api\/runs\/[^/]+\/events/, (route) => route.fulfill({ json: { events: [], last_seq: 0 } }))
    await enter(`/runs/${rows.run.id}?view=plan`)
    await settled(page)
    await tree().focus()
    await page.keyboard.press('End')
    await expectShown(item(/^stream-500 T2 → T3 → T4 → T5 pending/))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expectShown(item(/^T3 squad squad-1/))

    for (const [name, region, last] of [
      ['Plan', 'Plan', 'Workstream 500'],
      ['Tasks', 'Tasks by squad', 'Build task-4 of stream-499'],
    ] as const) {
      await view(name)
      const scroller = page.getByRole('region', { name: region })
      await expect
        .poll(async () => {
          await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight))
          return page.getByText(last).count()
        })
        .toBe(1)
      expect(await page.locator('*').count()).toBeLessThan(2_500)
    }
  })
})
