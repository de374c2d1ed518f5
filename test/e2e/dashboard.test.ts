import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectGone, expectShown, openView, signIn, startGatedRun, startRun } from '../support/dashboard.ts'
import { type Visit, visitDashboard } from '../support/visit.ts'

if (noBrowser !== null) console.log(`skipped: the dashboard in a browser: ${noBrowser}`)

describe.skipIf(noBrowser !== null)('the dashboard', () => {
  let daemon: TestDaemon
  let context: BrowserContext
  let page: Page
  let enter: Visit['enter']
  visitDashboard((visit) => ({ daemon, context, page, enter } = visit))

  it('explains how to sign in to a browser that is not signed in, and admits it after “agency open”', async () => {
    await page.goto(daemon.dashboard)
    await expectShown(page.getByRole('heading', { name: 'This browser is signed out' }))
    await expectShown(page.getByText('agency open').first())

    const elsewhere = await context.newPage()
    await signIn(elsewhere, daemon)
    await expectShown(elsewhere.getByRole('heading', { name: 'Inbox' }))

    await page.getByRole('button', { name: 'Retry after signing in' }).click()
    await expectShown(page.getByRole('heading', { name: 'Inbox' }))
  })

  it('explains how to fill an empty page', async () => {
    await enter('/')
    await expectShown(page.getByRole('heading', { name: 'No decisions are pending' }))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click()
    await expectShown(page.getByRole('heading', { name: 'No runs yet' }))
    await expectShown(page.getByText(/^agency run /).first())
  })

  it('shows a brief change from pending to done with its evidence, without a reload', async () => {
    const { run, release } = await startGatedRun(daemon, 'A haiku and a page')
    await enter(`/runs/${run.id}`)
    await page.evaluate(() => Object.assign(window, { untouched: true }))
    const tree = page.getByRole('tree')
    await expectShown(tree.getByRole('treeitem', { name: /Write poem.txt working/ }))
    await tree.getByRole('treeitem', { name: /Write page.txt pending/ }).click()
    const detail = page.getByRole('article', { name: 'Brief Write page.txt' })
    await expectShown(detail.getByText('not checked yet').first())

    release('poem')
    await expectShown(tree.getByRole('treeitem', { name: /Write page.txt working/ }))
    release('page')
    await expectShown(tree.getByRole('treeitem', { name: /Write page.txt done/ }))
    await expectShown(detail.getByText('2 of 2 proven after attempt 1, checked by the engine'))
    await expectShown(detail.getByText('$ cat page.txt'))
    await expectShown(detail.getByText('River finds the sea'))
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    await page.getByRole('tab', { name: 'Log' }).click()
    await expectShown(page.getByRole('log').getByText('Waiting to write page.txt'))
    expect(await page.evaluate(() => 'untouched' in window)).toBe(true)
    const place = page.url()
    await detail.getByRole('link', { name: 'page.txt', exact: true }).click()
    await expectShown(page.getByRole('heading', { name: 'page.txt' }))
    await expectShown(page.getByText('River finds the sea'))
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('page.txt')
    await page.goto(place)
    await detail.getByRole('link', { name: 'Prompt', exact: true }).click()
    await expectShown(page.getByRole('heading', { name: 'Prompt of attempt 1' }))
    await expectShown(page.getByRole('region', { name: 'Prompt: the text' }).getByText('# Your brief'))
  })

  it('opens an ended run with its result, and its proof sheet on a page of its own', async () => {
    const run = await startRun(daemon, 'done', 'A result to read')
    await enter(`/runs/${run.id}`)
    const result = page.getByRole('region', { name: 'Result' })
    await expectShown(result.getByRole('heading', { name: 'Which of the two folders is meant?' }))
    await expectShown(result.getByRole('region', { name: 'Proofs' }).getByText('file out.txt'))
    await expectShown(result.getByText('the run is simulated: no agent did this work'))
    const download = page.waitForEvent('download')
    await result.getByRole('button', { name: 'Share report' }).click()
    const report = await download
    expect(report.suggestedFilename()).toBe(`${run.id}.html`)
    expect(readFileSync(await report.path(), 'utf8')).toContain('<h1>A result to read</h1>')
    await result.getByRole('link', { name: 'Open the proof sheet' }).click()
    await expectShown(page.getByRole('heading', { name: 'Proof sheet: A result to read' }))
    await expectShown(page.getByRole('region', { name: 'Claims' }).getByText('file out.txt').first())
    // The facts of a proof stand below its line, not beside it.
    const topOf = async (part: string) => (await page.locator(`.proof ${part}`).first().boundingBox())?.y ?? 0
    await expect.poll(async () => (await topOf('.proof-facts')) - (await topOf('.proof-line'))).toBeGreaterThan(15)
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/runs/${run.id}/proof`)
    await enter(`/runs/${run.id}?view=evidence`)
    // A column stands below its head.
    const leftOf = async (cell: string) => (await page.locator(`.proofs ${cell}`).nth(1).boundingBox())?.x ?? 0
    await expect.poll(async () => Math.round((await leftOf('td')) - (await leftOf('th')))).toBe(0)
  })

  it('shows the output of an agent live and afterwards', async () => {
    const { run, release } = await startGatedRun(daemon, 'An agent that talks')
    await enter(`/runs/${run.id}?view=output`)
    const output = page.getByRole('log', { name: 'Output of the attempt' })
    await expectShown(output.getByText('I am a simulated agent.'))
    release('poem')
    const attempt = page.getByRole('combobox', { name: 'Attempt' })
    await expect.poll(() => attempt.locator('option').allTextContents()).toHaveLength(2)
    release('page')
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    await attempt.selectOption({ label: 'Write poem.txt: attempt 1' })
    await expectShown(output.getByText('I am a simulated agent.'))
    await expect.poll(() => new URL(page.url()).searchParams.get('attempt')).toMatch(/^att_/)
    await page.getByRole('treeitem', { name: /Write page.txt done/ }).click()
    await expect
      .poll(() => attempt.evaluate((element: HTMLSelectElement) => element.selectedOptions[0]?.text))
      .toBe('Write page.txt: attempt 1')
    await openView(page, 'Work', 'Briefs')
    const detail = page.getByRole('article', { name: 'Brief Write page.txt' })
    await detail.getByRole('link', { name: 'Output' }).click()
    await expectShown(page.getByRole('tab', { name: 'Output', selected: true }))
  })

  it('keeps the tab, the view and the brief of a run on Back and reload', async () => {
    const run = await startRun(daemon, 'done', 'Walked through')
    await enter(`/runs/${run.id}`)
    const selected = (name: string) => page.getByRole('tab', { name, exact: true, selected: true })
    await expectShown(selected('Overview'))
    await page.getByRole('tab', { name: 'Evidence' }).click()
    await page.getByRole('region', { name: 'Evidence' }).getByRole('link').first().click()
    const detail = page.getByRole('region', { name: 'Selected brief' })
    await expectShown(detail)
    await page.reload()
    await expectShown(selected('Proofs'))
    await expectShown(detail)
    await openView(page, 'Work', 'Time')
    await page.goBack()
    await expectShown(selected('Briefs'))
    await page.goBack()
    await expectShown(selected('Proofs'))
    await expectShown(detail)
    await page.goBack()
    await expectGone(detail)
    await expectShown(selected('Evidence'))
    await page.goBack()
    await expectShown(selected('Overview'))

    await page.getByRole('separator', { name: 'Width of the tree' }).press('End')
    await page.reload()
    await expect
      .poll(() => page.getByRole('separator', { name: 'Width of the tree' }).getAttribute('aria-valuenow'))
      .toBe('640')
  })

  it('shows the files of a mission’s workspace for viewing and download', async () => {
    const mission = await daemon.ask<{ id: string }>('POST', '/missions', { title: 'Write the manual' })
    const made = await daemon.ask<{ path: string; directory: string }>('POST', `/missions/${mission.id}/workspace`, {})
    mkdirSync(join(made.directory, 'part', 'one'), { recursive: true })
    const text = `<b>not bold</b>\nright\u202eleft\n${'line\n'.repeat(5_000)}`
    writeFileSync(join(made.directory, 'part', 'one', 'page.html'), text)
    await enter('/workspaces')
    await page.getByRole('link', { name: made.path }).click()
    const files = page.getByRole('tree', { name: 'Files' })
    await files.getByRole('treeitem', { name: 'part' }).click()
    // The folder loads its files when it is opened: until then the key has no next item to go to.
    await expectShown(files.getByRole('treeitem', { name: 'one' }))
    await files.press('ArrowDown')
    await files.press('ArrowRight')
    await expectShown(files.getByRole('treeitem', { name: /page\.html/ }))
    await files.press('ArrowDown')
    await files.press('Enter')
    await expectShown(page.getByText('<b>not bold</b>', { exact: true }))
    await expectShown(page.getByText('\\u202e', { exact: true }))
    expect(await page.locator('.diff-row').count()).toBeLessThan(200)
    const [downloaded] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(downloaded.suggestedFilename()).toBe('page.html')
    expect(readFileSync(await downloaded.path(), 'utf8')).toBe(text)
    // The address alone opens every parent folder.
    await page.reload()
    await expectShown(files.getByRole('treeitem', { name: /page\.html/, selected: true }))
  })

  it('marks a simulated run as simulated and not boxed on every page', async () => {
    const run = await startRun(daemon, 'failed', 'Simulated everywhere')
    await enter('/')
    const card = page.getByRole('listitem').filter({ hasText: 'Simulated everywhere' })
    await expectShown(card.getByText('simulated', { exact: true }))
    await page.goto(`${daemon.dashboard}/runs`)
    await expectShown(page.locator(`tr[data-run=${run.id}]`).getByText('simulated', { exact: true }))
    await page.goto(`${daemon.dashboard}/runs/${run.id}`)
    await expectShown(page.locator('.run-header').getByText('simulated', { exact: true }))
    await page.keyboard.press('Control+k')
    await expectShown(page.getByRole('option', { name: /Simulated everywhere.*simulated$/ }))
    // A bundled scenario starts no program, so it is played without a box.
    const bundled = await daemon.ask<{ id: string }>('POST', '/runs', { goal: 'Bundled', runtime: 'scripted' })
    await page.goto(`${daemon.dashboard}/runs/${bundled.id}`)
    await expectShown(page.locator('.run-header').getByText('not boxed'))
  })

  it('adds a failed run to the open inbox, with the reason', async () => {
    await enter('/')
    await expectShown(page.getByRole('heading', { name: 'Inbox' }))
    await startRun(daemon, 'blocked', 'Sort the photographs')
    await expectShown(page.getByRole('listitem').filter({ hasText: 'Which of the two folders is meant?' }))
    await startRun(daemon, 'failed', 'Prove the impossible')
    // For a moment the list of open runs shows it too: the two lists are loaded one after the other.
    const failed = page.getByRole('region', { name: 'Failed runs' })
    await expectShown(failed.getByRole('link', { name: 'Prove the impossible' }))
    await failed.getByRole('button', { name: 'Dismiss Prove the impossible' }).click()
    await expectGone(failed.getByRole('link', { name: 'Prove the impossible' }))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click()
    // The whole row is the link.
    const row = page.locator('tr').filter({ hasText: 'Prove the impossible' })
    await row.click({ position: { x: 4, y: 4 } })
    await expectShown(page.getByRole('heading', { level: 1, name: 'Prove the impossible' }))
    await expectShown(page.getByRole('region', { name: 'Failed and blocked briefs' }).getByText(/^failed: /))
    await page.getByRole('tab', { name: 'Evidence' }).click()
    await expectShown(page.getByText('0 of 1 proven'))
  })

  it('filters runs by status, with the filter in the address', async () => {
    await startRun(daemon, 'failed', 'One that fails')
    await enter('/runs?status=failed')
    await expectShown(page.getByRole('link', { name: 'One that fails' }).first())
    await expect
      .poll(async () => new Set(await page.locator('td.status').allTextContents()))
      .toEqual(new Set(['failed']))
  })

  it('asks before it cancels a run, keeps focus in the dialog, and returns it', async () => {
    const { run } = await startGatedRun(daemon, 'To be cancelled')
    await enter(`/runs/${run.id}`)
    const button = page.getByRole('button', { name: 'Cancel run' })
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' })
    await expectShown(dialog)
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')
    const both = ['Keep running', 'Cancel the run and 2 briefs']
    for (const name of [...both, ...both]) {
      await expect.poll(focused).toBe(name)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Escape')
    await expectGone(dialog)
    await expect.poll(focused).toBe('Cancel run…')

    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Cancel the run and 2 briefs' }).click()
    await expectShown(page.locator('.run-header').getByText('cancelled', { exact: true }))
    await expectGone(button)
  })

  it('opens a dialog again that was closed a moment ago', async () => {
    const { run } = await startGatedRun(daemon, 'To be kept')
    await enter(`/runs/${run.id}`)
    await page.getByRole('button', { name: 'Cancel run' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' })
    await expectShown(dialog)
    // The browser queues the dialog's event `close`; a key that the operator presses meanwhile comes before it.
    const isOpen = await page.evaluate(async () => {
      const dialog = document.querySelector<HTMLDialogElement>('dialog[open]')
      const opener = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Cancel run…')
      if (dialog === null || opener === undefined) throw new Error('the dialog or its button is missing')
      const closed = new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
      dialog.requestClose()
      await Promise.resolve()
      opener.click()
      await closed
      await new Promise(requestAnimationFrame)
      return dialog.open
    })
    expect(isOpen).toBe(true)
    await expectShown(dialog.getByRole('button', { name: 'Keep running' }))
  })

  it('opens a run with the keyboard alone', async () => {
    await startRun(daemon, 'done', 'Found by its words')
    await enter('/settings')
    await expectShown(page.getByRole('heading', { name: 'Settings' }))
    await page.keyboard.press('/')
    await expectShown(page.getByRole('combobox', { name: 'Page, run or action' }))
    await page.keyboard.type('words found')
    await expectShown(page.getByRole('option', { name: /Found by its words/, selected: true }))
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('heading', { level: 1, name: 'Found by its words' }))
  })

  it('links to a line of the log and can follow the log again', async () => {
    const run = await startRun(daemon, 'done', 'A log with lines')
    await enter(`/runs/${run.id}#3`)
    await expectShown(page.locator('.line[data-pointed][data-place="3"]'))
    await expectShown(page.getByRole('tab', { name: 'Log', selected: true }))
    await expectShown(page.getByRole('complementary', { name: 'Selected line' }))
    await page.locator('.line').filter({ hasText: 'PLAN_START' }).click()
    await page.waitForFunction(() => location.hash === '#1')
    await page.getByRole('log').press('End')
    await page.waitForFunction(() => location.hash === '')
  })

  it('filters and pauses the log, and shows the missed lines after the pause', async () => {
    const { run, release } = await startGatedRun(daemon, 'A log that is paused')
    await enter(`/runs/${run.id}?view=log`)
    const log = page.getByRole('log')
    await expectShown(log.getByText('Waiting to write poem.txt'))
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    release('poem')
    release('page')
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    await expectShown(page.getByRole('button', { name: /\d+ new lines/ }))
    expect(await log.getByText('Waiting to write page.txt').count()).toBe(0)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await expectShown(log.getByText('Waiting to write page.txt'))
    await page.getByRole('searchbox').fill('waiting TO write')
    await page.waitForFunction(() => document.querySelectorAll('.line').length === 2)
  })

  it('moves no line under the pointer, and catches up when the pointer leaves', async () => {
    const { run, release } = await startGatedRun(daemon, 'A log that is pointed at')
    await page.setViewportSize({ width: 1280, height: 480 })
    await enter(`/runs/${run.id}?view=log`)
    await page.getByRole('checkbox', { name: /Verbose/ }).check()
    const log = page.getByRole('log')
    await expectShown(log.getByText('Waiting to write poem.txt'))
    // The log follows its end: it is scrolled to the bottom.
    await expect
      .poll(() => log.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop))
      .toBeLessThan(2)
    await log.hover()
    const top = (): Promise<number> => log.evaluate((element) => element.scrollTop)
    const before = await top()
    release('poem')
    await expectShown(page.getByRole('button', { name: /\d+ new lines? ↓/ }))
    expect(await top()).toBe(before)
    await page.mouse.move(5, 5)
    await expectGone(page.getByRole('button', { name: /↓/ }))
    await expect.poll(top).toBeGreaterThan(before)
    release('page')
  })

  it('shows all events live in the feed', async () => {
    await enter('/events')
    await expectShown(page.getByRole('log'))
    const run = await startRun(daemon, 'done', 'Seen in the feed')
    await expectShown(page.locator('.line').filter({ hasText: run.id }).first())
    await page.getByLabel('Kind').selectOption('run_created')
    await page.waitForFunction(() => {
      const codes = [...document.querySelectorAll('.line b')].map((each) => each.textContent)
      return codes.length > 0 && codes.every((code) => code === 'PLAN_START')
    })
    await expect.poll(() => new URL(page.url()).search).toBe('?kind=run_created')
    await page.getByRole('searchbox', { name: 'Filter lines by text' }).fill('seen in THE feed')
    await expectShown(page.getByText('1 line', { exact: true }))
  })

  it('shows the age of its data while the daemon is away, and continues by itself when it is back', async () => {
    const run = await startRun(daemon, 'done', 'Before the break')
    await enter(`/runs/${run.id}`)
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    await daemon.stop()
    await expectShown(page.getByText(/Offline: the daemon does not answer\. This page shows data from \d\d:\d\d:\d\d/))
    await expectShown(page.getByRole('heading', { level: 1, name: 'Before the break' }))
    await page.getByRole('link', { name: 'Settings' }).click()

    await daemon.start()
    await expectGone(page.getByText(/This page shows data from/))
    await startRun(daemon, 'done', 'After the break')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click()
    await expectShown(page.getByRole('link', { name: 'After the break' }))
  })

  it('explains an address that does not exist', async () => {
    await enter('/runs/run_zzzzzzzzzzzz')
    await page
      .getByRole('alert')
      .getByText(/no run "run_zzzzzzzzzzzz"/i)
      .waitFor()
    await page.goto(`${daemon.dashboard}/nowhere`)
    await expectShown(page.getByRole('heading', { name: 'Page not found' }))
  })
})
