import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'

import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectGone, expectShown } from '../support/dashboard.ts'
import { makeRepository } from '../support/repository.ts'
import { type Visit, visitDashboard } from '../support/visit.ts'

if (noBrowser !== null) console.log(`skipped: the form of a new run: ${noBrowser}`)

describe.skipIf(noBrowser !== null)('the form of a new run', () => {
  let daemon: TestDaemon
  let context: BrowserContext
  let page: Page
  let enter: Visit['enter']
  visitDashboard((visit) => ({ daemon, context, page, enter } = visit))

  const goalsOfRuns = async (): Promise<string[]> =>
    (await daemon.ask<{ runs: { goal_anchor: string }[] }>('GET', '/runs')).runs.map((run) => run.goal_anchor)

  it('starts one run, keeps its text over a reload, and names every fault beside its field', async () => {
    const repository = makeRepository({ 'package.json': '{"scripts":{"test":"node --test"}}' })
    await enter('/')
    await expectShown(page.getByRole('heading', { name: 'Inbox' }))
    await page.keyboard.press('n')
    const goal = page.getByRole('textbox', { name: 'What is to be achieved?' })
    await expectShown(page.getByRole('radio', { name: 'Simulated agent simulated' }))
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('goal')
    await page.getByRole('button', { name: 'Start simulated run' }).click()
    await expectShown(page.getByText('Nothing was started: correct the marked fields.'))
    await expectShown(page.getByText('The goal is empty. Say what the run should achieve.'))
    await goal.fill('Slugs without accents')
    await page.getByRole('textbox', { name: 'Limit' }).fill('0')
    await expectShown(page.getByText('The limit is not an amount above $0.'))

    const where = page.getByRole('combobox', { name: 'Where' })
    await where.fill(`${repository.path}/none`)
    await where.blur()
    await expectShown(page.getByText('none does not exist'))
    await where.fill(repository.path)
    await where.blur()
    await expectShown(page.getByText('The result waits for your approval before it is merged into main.'))
    await expect.poll(() => page.getByRole('textbox', { name: 'Command of proof 1' }).inputValue()).toBe('npm test')
    await page.getByRole('radio', { name: /^Team/ }).check()
    await expectGone(page.getByRole('textbox', { name: 'Command of proof 1' }))
    await page.getByRole('radio', { name: 'One agent' }).check()
    await page.getByRole('button', { name: 'Remove proof 1' }).click()
    await page.getByRole('button', { name: 'Add a command' }).click()
    await page.getByRole('textbox', { name: 'Command of proof 1' }).fill('no-such-program')
    await expectShown(page.getByText('no-such-program was not found on this machine'))

    await page.reload()
    await expect.poll(() => goal.inputValue()).toBe('Slugs without accents')
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Command of proof 1' }).inputValue())
      .toBe('no-such-program')
    await page.getByRole('textbox', { name: 'Command of proof 1' }).fill('test -e result.md')
    await page.getByRole('textbox', { name: 'Limit' }).fill('5')

    // A copy of the tab has a copy of its storage.
    const draft = await page.evaluate(() => sessionStorage.getItem('agency.new-run') ?? '')
    const copy = await context.newPage()
    await copy.goto(daemon.dashboard)
    await expectShown(copy.getByRole('heading', { name: 'Inbox' }))
    await copy.evaluate((text) => sessionStorage.setItem('agency.new-run', text), draft)
    await copy.goto(`${daemon.dashboard}/new`)
    await Promise.all([
      page.getByRole('button', { name: 'Start simulated run' }).dblclick(),
      copy.getByRole('textbox', { name: 'What is to be achieved?' }).press('Control+Enter'),
    ])
    await Promise.all([page, copy].map((each) => each.waitForURL(/\/runs\/run_/)))
    expect(new URL(copy.url()).pathname).toBe(new URL(page.url()).pathname)
    expect(await goalsOfRuns()).toEqual(['Slugs without accents'])
    // The form is empty for the next run.
    await page.goto(`${daemon.dashboard}/new`)
    await expect.poll(() => goal.inputValue()).toBe('')
  })

  it('is prefilled by its address', async () => {
    await enter('/new?template=fix-issue&goal=The+page+hangs&repo=/nowhere')
    const goal = page.getByRole('textbox', { name: 'What is to be achieved?' })
    await expect.poll(() => goal.inputValue()).toMatch(/^The page hangs\n\nReproduce the issue/)
    await expectShown(page.getByRole('button', { name: 'Fix an issue', pressed: true }))
    await expectShown(page.getByText('the directory /nowhere does not exist'))
  })

  it('fills in the commands of a template file once its text is trusted, and names the faults of another', async () => {
    const folder = join(daemon.home, 'templates')
    mkdirSync(folder, { recursive: true })
    const text = 'title: Upgrade a package\ngoal: Upgrade it.\nevidence: [{ kind: command, run: make check }]\n'
    writeFileSync(join(folder, 'upgrade.yaml'), text)
    writeFileSync(join(folder, 'broken.yaml'), 'title: Broken\ncost_limitt: 3\n')
    await enter('/new')
    await page.getByText('1 template file cannot be used').click()
    await expectShown(page.getByText('a template has no "cost_limitt"; did you mean "cost_limit"?'))
    await page.getByRole('button', { name: 'Upgrade a package' }).click()
    const proof = page.getByRole('textbox', { name: 'Command of proof 1' })
    await expectShown(page.locator('pre').getByText('make check'))
    await expectGone(proof)
    await page.getByRole('button', { name: 'Trust this template and fill in its commands' }).click()
    await expect.poll(() => proof.inputValue()).toBe('make check')
  })

  it('shows the commands of a plan file, then trusts and starts exactly that text', async () => {
    await enter('/new')
    await page.getByRole('button', { name: 'A plan file' }).click()
    const choose = (text: string) =>
      page
        .getByLabel('Choose a plan file')
        .setInputFiles({ name: 'plan.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) })
    await choose('goal: A shop\nbriefs: [{ id: a, objectiv: x }]\n')
    await expectShown(page.getByText('plan.yaml has 2 faults.'))
    await choose(
      'goal: A shop\nruntime: scripted\nbriefs: [{ id: a, objective: Write it, evidence: [{ kind: command, run: test -e result.md }] }]\n',
    )
    await expectShown(page.getByText('1 brief in 1 level'))
    await expectShown(page.locator('pre').getByText('test -e result.md'))
    await page.getByRole('button', { name: 'Trust this file and start the run' }).dblclick()
    await page.waitForURL(/\/runs\/run_/)
    expect((await goalsOfRuns()).filter((goal) => goal === 'A shop')).toHaveLength(1)
  })

  it('goes on from a failed run: keeps what was accepted, does the rest, and runs it again', async () => {
    // The box has a /tmp and a /dev/shm of its own, in which the folder of the tests may be.
    const folder = mkdtempSync('/var/tmp/agency-ready-')
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const brief = (key: string, command: string, after: string[]) => ({
      key,
      objective: `Do ${key}`,
      after,
      evidence: [{ kind: 'file', path: `${key}.txt` }],
      runtime_options: {
        scenario: { attempts: [[{ run: command }, { report: { status: 'done', summary: 'Did it.', outputs: [] } }]] },
      },
    })
    const { id } = await daemon.ask<{ id: string }>('POST', '/runs', {
      goal: 'Two steps',
      runtime: 'scripted',
      readable: [folder],
      retry_budget: 0,
      on_limit: 'fail',
      briefs: [
        brief('first', 'echo 1 > first.txt', []),
        brief('second', `cp ${folder}/ready second.txt || true`, ['first']),
      ],
    })
    await enter(`/runs/${id}`)
    await page.getByRole('button', { name: 'Retry failed briefs' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry failed briefs?' })
    await dialog.getByRole('textbox').fill('It is ready now.')
    writeFileSync(join(folder, 'ready'), 'ready')
    await dialog.getByRole('button', { name: 'Start the run' }).click()
    await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.endsWith(id))
    await expectShown(
      page.locator('header').getByText(`It keeps 1 accepted brief of ${id} (first) and does 1 brief again (second).`),
    )
    await expectShown(page.getByRole('link', { name: 'Run again…' }).first())
    await expectGone(page.getByRole('button', { name: 'Retry failed briefs' }))
    await page.getByRole('link', { name: id }).click()
    await expectShown(page.getByText('Continued by'))
    await page.getByRole('link', { name: 'Fork…' }).click()
    await expectShown(page.getByText('only its settings are taken over'))
    await expect
      .poll(() => page.getByRole('textbox', { name: 'What is to be achieved?' }).inputValue())
      .toBe('Two steps')
  })
})
