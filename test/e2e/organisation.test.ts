import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import { noBrowser, openBrowser } from '../support/browser.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { buildDashboard, expectGone, expectShown, settled, watchComplaints } from '../support/dashboard.ts'
import { inspect } from '../support/inspect.ts'
import { sixSeats } from '../support/org-cli.ts'
import { company, importOrganisation, type MadeOrganisation } from '../support/organisation.ts'

if (noBrowser !== null) console.log(`skipped: the organisation in a browser: ${noBrowser}`)

describe.skipIf(noBrowser !== null)('the organisation in the dashboard', () => {
  let daemon: TestDaemon
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  let kent: MadeOrganisation
  let robbo: string

  beforeAll(async () => {
    await buildDashboard()
    daemon = await createTestDaemon()
    await daemon.start()
    browser = await openBrowser()
    kent = await importOrganisation(daemon, sixSeats('Kent'))
    robbo = (await holderOf('Principal Architect')) ?? ''
    await daemon.ask('PATCH', `/orgs/${kent.slug}`, { lead_position_id: kent.seats['Principal Architect'] })
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.remove()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    complaints = watchComplaints(page)
    await page.goto(await daemon.link())
  })
  afterEach(async () => {
    await context.close()
    if (complaints.length > 0) throw new Error(`the browser complained:\n${complaints.join('\n')}`)
  })

  const open = async (path: string): Promise<void> => {
    await page.goto(daemon.address + path)
    await settled(page)
  }
  const seat = (title: string) => page.locator(`.seat[data-position="${kent.seats[title]}"]`)
  const makePersona = async (name: string, role: string): Promise<string> =>
    (await daemon.ask<{ slug: string }>('POST', '/personas', { name, role })).slug
  const assign = (title: string, persona: string): Promise<unknown> =>
    daemon.ask('POST', `/positions/${kent.seats[title]}/assignment`, { persona, reassign: true })
  const holderOf = async (title: string): Promise<string | undefined> => {
    const { position } = await daemon.ask<{ position: { assignment: { persona_slug: string } | null } }>(
      'GET',
      `/positions/${kent.seats[title]}`,
    )
    return position.assignment?.persona_slug
  }

  it('shows every seat with its holder, the vacant ones in words, and says which line means what', async () => {
    await open(`/org/${kent.slug}`)
    expect(await page.locator('.seat').count()).toBe(6)
    await expectShown(seat('Principal Architect').getByText('Robbo of Kent'))
    await expectShown(seat('Principal Architect').getByText('lead'))
    await expectShown(seat('AR Director').getByText('cross-cutting'))
    await expectShown(seat('QA Lead').getByText('vacant'))
    expect(await seat('QA Lead').getAttribute('aria-label')).toBe(
      'QA Lead vacant L3 qa, reports to Project Manager, escalates to Principal Architect',
    )
    const legend = page.getByRole('list', { name: 'Legend' })
    await expectShown(legend.getByText('reports to'))
    await expectShown(legend.getByText('escalates to, where that differs'))
    const lines = await page.evaluate(() =>
      ['reporting', 'escalation'].map((name) => {
        const path = document.querySelector(`.chart-lines .${name}`)
        return {
          count: path?.getAttribute('d')?.match(/M/g)?.length ?? 0,
          isDashed: path !== null && getComputedStyle(path).strokeDasharray !== 'none',
        }
      }),
    )
    // Three seats escalate elsewhere: the AR Director, the Senior Developer and the QA Lead.
    expect(lines[1]).toEqual({ count: 3, isDashed: true })
    expect(lines[0]).toMatchObject({ isDashed: false })
  })

  it('moves between seats with the arrows, opens one with Enter, and comes back to it', async () => {
    await open(`/org/${kent.slug}`)
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.querySelector('.seat-title')?.textContent ?? '')
    await page.getByRole('button', { name: 'List' }).focus()
    await page.keyboard.press('Tab')
    const walked = [await focused()]
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowUp', 'Home', 'ArrowRight', 'End']) {
      await page.keyboard.press(key)
      walked.push(await focused())
    }
    expect(walked).toEqual([
      'Principal Architect',
      'Project Manager',
      'Senior Developer',
      'Developer',
      'QA Lead',
      'Project Manager',
      'Principal Architect',
      'AR Director',
      'AR Director',
    ])
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('heading', { level: 1, name: 'AR Director' }))
    expect(new URL(page.url()).pathname).toBe(`/org/${kent.slug}/positions/${kent.seats['AR Director']}`)
    await page.goBack()
    await expectShown(page.locator('.seat').first())
    await page.waitForFunction(
      (title) => document.querySelector('.seat[tabindex="0"] .seat-title')?.textContent === title,
      'AR Director',
    )
  })

  it('zooms, fits and is dragged, without a click where one drags', async () => {
    await open(`/org/${kent.slug}`)
    const look = (): Promise<string> =>
      page.locator('.chart-world').evaluate((world: HTMLElement) => world.style.transform)
    const fitted = await look()
    await page.getByRole('button', { name: 'Larger' }).click()
    expect(await look()).not.toBe(fitted)
    await page.getByRole('button', { name: 'Fit' }).click()
    expect(await look()).toBe(fitted)

    const box = await seat('Developer').boundingBox()
    if (box === null) throw new Error('the seat has no place')
    await page.mouse.move(box.x + 40, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + 10, box.y - 30, { steps: 5 })
    await page.mouse.up()
    const dragged = await seat('Developer').boundingBox()
    expect(Math.round((dragged?.y ?? 0) - box.y)).toBe(-50)
    expect(new URL(page.url()).pathname).toBe(`/org/${kent.slug}`)
    await seat('Developer').click()
    await expectShown(page.getByRole('heading', { level: 1, name: 'Developer' }))
  })

  it('finds seats by title, holder or role, in an address that can be kept', async () => {
    await open(`/org/${kent.slug}`)
    await page.getByRole('searchbox').fill('developer')
    await expectShown(page.getByText('2 found'))
    expect(await page.locator('.seat[data-found]').count()).toBe(2)
    await page.getByRole('searchbox').press('Enter')
    await expectShown(page.getByText('1 of 2 found'))
    expect(new URL(page.url()).search).toBe('?find=developer')
    await page.getByRole('searchbox').fill('nobody of that name')
    await expectShown(page.getByText('nothing found'))
  })

  it('is a tree to read as well: the same seats, all of it in words, with its own keys', async () => {
    await open(`/org/${kent.slug}?view=list`)
    const tree = page.getByRole('tree', { name: 'Seats of Kent, 6 seats' })
    expect(await tree.getByRole('treeitem').count()).toBe(6)
    await expectShown(tree.getByRole('treeitem', { name: /QA Lead vacant · L3 qa · escalates to Principal Architect/ }))
    await tree.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    await expectGone(tree.getByRole('treeitem', { name: /^QA Lead/ }))
    await page.keyboard.press('ArrowRight')
    await expectShown(tree.getByRole('treeitem', { name: /^QA Lead/ }))
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('heading', { level: 1, name: 'Project Manager' }))
  })

  it('shows who takes a seat elsewhere at once, on the chart, among the vacancies and on the seat’s page', async () => {
    const con = await makePersona('Con', 'developer')
    const vera = await makePersona('Vera', 'developer')
    await open(`/org/${kent.slug}`)
    await page.evaluate(() => Object.assign(window, { untouched: true }))
    await expectShown(seat('Developer').getByText('vacant'))
    await assign('Developer', con)
    await expectShown(seat('Developer').getByText('Con'))
    await assign('Developer', vera)
    await expectShown(seat('Developer').getByText('Vera'))

    const pages = page.getByRole('navigation', { name: 'Pages of Kent' })
    await pages.getByRole('link', { name: /^Vacancies/ }).click()
    await expectShown(page.getByRole('row', { name: /^Senior Developer/ }).getByText('Con'))
    expect(await page.getByRole('row', { name: /^Developer/ }).count()).toBe(0)
    await daemon.ask('DELETE', `/positions/${kent.seats['Developer']}/assignment`)
    await page
      .getByRole('row', { name: /^Developer/ })
      .getByRole('link', { name: 'Developer' })
      .click()

    await expectShown(page.getByRole('region', { name: 'Holder' }).getByText('vacant', { exact: true }))
    const held = page.getByRole('region', { name: 'Assignments' }).getByRole('link')
    expect(await held.allTextContents()).toEqual(['Vera', 'Con'])
    await assign('Developer', con)
    await expectShown(page.getByRole('region', { name: 'Assignments' }).getByText('still there'))
    expect(await page.evaluate(() => 'untouched' in window)).toBe(true)
  })

  it('tells the reporting line and the escalation path of a seat apart', async () => {
    await open(`/org/${kent.slug}/positions/${kent.seats['QA Lead']}`)
    const titles = (name: string): Promise<string[]> =>
      page.getByRole('list', { name }).getByRole('listitem').allTextContents()
    expect((await titles('Reporting line')).map((text) => text.replace(/ +(vacant|Robbo).*/, ''))).toEqual([
      'QA Lead',
      'Project Manager',
      'Principal Architect',
      'Operator',
    ])
    expect((await titles('Escalation path')).map((text) => text.replace(/ +(vacant|Robbo).*/, ''))).toEqual([
      'QA Lead',
      'Principal Architect',
      'Operator',
    ])
    await daemon.ask('PUT', `/positions/${kent.seats['QA Lead']}/authority/spend_per_day`, {
      limit: 2_500,
      unit: 'USD',
      on_breach: 'gate',
    })
    await expectShown(
      page.getByRole('region', { name: 'Authority' }).getByText('2,500 USD, asks the operator beyond it'),
    )
    await page.getByRole('link', { name: 'Principal Architect' }).first().click()
    const reports = page.getByRole('region', { name: 'Direct reports' })
    await expectShown(reports.getByRole('link', { name: 'Project Manager' }))
    await expectShown(reports.getByText('Escalate here without reporting here'))
  })

  it('shows a persona with its seats everywhere, and its files as they are on disk', async () => {
    const lab = await importOrganisation(daemon, company('Second lab', 2))
    await daemon.ask('POST', `/positions/${lab.seats['Seat 0002']}/assignment`, { persona: robbo })
    await open(`/personas/${robbo}`)
    const seats = page.getByRole('region', { name: 'Seats' })
    await expectShown(seats.getByRole('row', { name: /Principal Architect Kent/ }))
    await expectShown(seats.getByRole('row', { name: /Seat 0002 Second lab/ }))
    const skills = page.getByRole('region', { name: 'Skills' })
    await expectShown(skills.getByRole('heading', { name: 'Core identity' }))

    const file = join(daemon.home, 'data', 'personas', robbo, 'skill.md')
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n## Written by hand\n`)
    await page.reload()
    await expectShown(skills.getByRole('heading', { name: 'Written by hand' }))
    await daemon.ask('PATCH', `/orgs/${lab.slug}`, { status: 'archived' })
  })

  it('lets nothing in a persona’s text run, reach out, or pose as the page', async () => {
    const mallory = await makePersona('Mallory', 'developer')
    await daemon.ask('PUT', `/personas/${mallory}/skill`, { text: payloads })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(daemon.address)) elsewhere.push(request.url())
    })
    page.on('dialog', (dialog) => {
      elsewhere.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    await open(`/personas/${mallory}`)
    const text = page.locator('.markdown').first()
    await expectShown(text.getByText('the end of it'))
    const found = await text.evaluate((element) => ({
      ran: 'pwned' in globalThis,
      elements: [...new Set([...element.querySelectorAll('*')].map((each) => each.localName))].filter((name) =>
        /^(img|script|iframe|object|embed|svg|math|form|input|button|style|link|meta|base|video|audio|details)$/.test(
          name,
        ),
      ),
      handlers: [...element.querySelectorAll('*')].flatMap((each) =>
        each.getAttributeNames().filter((name) => name.startsWith('on') || name === 'srcdoc'),
      ),
      styles: [...new Set([...element.querySelectorAll('[style]')].map((each) => each.getAttribute('style')))],
      addresses: [...element.querySelectorAll('a')].map((each) => each.getAttribute('href')),
    }))
    expect(found).toEqual({
      ran: false,
      elements: [],
      handlers: [],
      // How the columns of its table stand.
      styles: ['text-align: left;', 'text-align: right;'],
      addresses: ['https://example.org/fine'],
    })
    for (const link of await text.getByText(/^harmful/).all()) await link.click({ force: true })
    expect(new URL(page.url()).pathname).toBe(`/personas/${mallory}`)
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false)
    expect(elsewhere).toEqual([])
  })

  it('lists proposals with what they would change, and decides them', async () => {
    const { document } = await daemon.ask<{ document: string }>('GET', `/orgs/${kent.slug}/export`)
    const more = (title: string): string =>
      `${document}  - { title: ${title}, role: qa, level: 4, reports_to: QA Lead, escalates_to: QA Lead }\n`
    await daemon.ask('POST', '/orgs/proposals', { document: more('Tester'), reason: 'Reviews wait for four days' })
    await open(`/org/${kent.slug}/proposals`)
    const tester = page.getByRole('listitem').filter({ hasText: 'Reviews wait for four days' })
    await expectShown(tester.getByText('seat Tester'))

    await daemon.ask('POST', '/orgs/proposals', { document: more('Second tester'), reason: 'And one for the nights' })
    const nights = page.getByRole('listitem').filter({ hasText: 'And one for the nights' })
    await nights.getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Reject and answer' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('No night shifts here')
    await dialog.getByRole('button', { name: 'Reject and answer' }).click()
    await expectShown(nights.getByText('Answer: No night shifts here'))

    await tester.getByRole('button', { name: 'Apply 1 change' }).click()
    await expectShown(tester.getByText('applied', { exact: true }))
    await page.getByRole('navigation', { name: 'Pages of Kent' }).getByRole('link', { name: 'Chart' }).click()
    await expectShown(page.getByRole('link', { name: /^Tester vacant/ }))
  })

  it('remembers who changed what, and marks what an agent did outside governance', async () => {
    await asAgent(`org position create --org ${kent.slug} --title Gardener --role developer --reports-to "QA Lead"`)
    await open(`/org/${kent.slug}/history`)
    const change = page.getByRole('row', { name: /seat "Gardener" created/ })
    await expectShown(change.getByText('outside governance'))
    await expectShown(change.getByText(/agent/).or(change.getByRole('link').first()).first())
    const byOperator = page.getByRole('row', { name: /takes seat "Developer"/ }).first()
    await expectShown(byOperator.getByText('operator'))
    expect(await byOperator.getByText('outside governance').count()).toBe(0)
  })

  it('reads intent and settings, saying what is no default', async () => {
    await daemon.ask('PUT', `/orgs/${kent.slug}/settings/governance`, { value: 'enforce' })
    await open(`/org/${kent.slug}/settings`)
    await expectShown(page.getByRole('region', { name: 'Intent' }).getByText('no night shifts'))
    await expectShown(page.getByText('enforce default advise'))
    await daemon.ask('PUT', `/orgs/${kent.slug}/settings/governance`, { value: 'advise' })
    await expectShown(page.getByText('advise default'))
  })

  it('switches between organisations and all of them, and remembers which', async () => {
    await open('/org')
    await expectShown(page.getByRole('heading', { level: 1, name: 'Organisations' }))
    const which = page.getByRole('combobox', { name: 'Which organisation' })
    await which.selectOption({ label: 'Kent' })
    await expectShown(page.getByRole('heading', { level: 1, name: 'Kent' }))
    expect(new URL(page.url()).pathname).toBe(`/org/${kent.slug}`)
    await open('/org')
    await expectShown(page.getByRole('heading', { level: 1, name: 'Kent' }))
    await open('/runs')
    await expectShown(page.getByRole('heading', { name: 'Kent has no runs yet' }))
    await open('/runs?org=all')
    await expectShown(page.getByRole('link', { name: 'Change the organisation' }))
    await open('/personas')
    expect((await page.getByRole('row').allTextContents()).some((text) => text.startsWith('Operator'))).toBe(false)
    await which.selectOption({ label: 'All organisations' })
    await expectShown(page.getByRole('row', { name: /^Operator/ }))
    expect(new URL(page.url()).search).toBe('?org=all')
    await open('/org/KENT')
    await page.waitForFunction((slug) => location.pathname === `/org/${slug}`, kent.slug)
  })

  it('is reached from the palette: organisations, seats and personas', async () => {
    await open(`/org/${kent.slug}/history`)
    const goTo = async (text: string, name: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(text)
      await expectShown(page.getByRole('option', { name }))
      await page.keyboard.press('Enter')
    }
    await goTo('seat qa lead', /QA Lead.*seat/)
    await expectShown(page.getByRole('heading', { level: 1, name: 'QA Lead' }))
    await goTo('persona robbo', /Robbo of Kent/)
    await expectShown(page.getByRole('heading', { level: 1, name: 'Robbo of Kent' }))
    await goTo('kent vacancies', /Kent: vacancies/)
    await expectShown(page.getByRole('heading', { level: 1, name: 'Kent Vacancies' }))
  })

  it('says what is wrong with an address that leads nowhere, and what fills an empty chart', async () => {
    for (const [path, words] of [
      ['/org/nobody', /no organisation "nobody"/i],
      [`/org/${kent.slug}/positions/999999`, /no position "?999999/i],
      ['/personas/nobody', /no persona "nobody"/i],
    ] as const) {
      await open(path)
      await page.getByRole('alert').getByText(words).waitFor()
    }
    await open(`/org/software-development-development-1`)
    await expectShown(page.getByRole('heading', { name: 'No seats yet' }))
    await expectShown(page.getByText(/agency org position create/))
  })

  it('shows 500 seats at once', async () => {
    const big = await importOrganisation(daemon, company('Big company', 500))
    await open(`/org/${big.slug}`)
    await page.waitForFunction(() => document.querySelectorAll('.seat').length === 500)
    const inside = await page.evaluate(() => {
      const window = document.querySelector('.chart-window')?.getBoundingClientRect()
      if (window === undefined) return 0
      return [...document.querySelectorAll('.seat')].filter((seat) => {
        const { left, right, top, bottom } = seat.getBoundingClientRect()
        return left >= window.left && right <= window.right && top >= window.top && bottom <= window.bottom
      }).length
    })
    expect(inside).toBe(500)
    expect(await inspect(page)).toEqual({ found: [], overflow: 0 })
    await daemon.ask('PATCH', `/orgs/${big.slug}`, { status: 'archived' })
  })

  it('waits for a daemon that is away, and goes on by itself when it is back, also where its code was never loaded', async () => {
    await open('/settings')
    await daemon.stop()
    await expectShown(page.getByText(/Offline: the daemon does not answer/))
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Organisation' }).click()
    await expectShown(page.getByRole('alert').getByText('The daemon does not answer.'))
    await daemon.start()
    await expectGone(page.getByText(/Offline/))
    await expectShown(page.getByRole('heading', { level: 1, name: 'Organisations' }))
    await page.getByRole('link', { name: 'Kent' }).click()
    await expectShown(page.locator('.seat').first())
    await daemon.stop()
    await expectShown(page.getByText(/What is shown is from/))
    expect(await page.locator('.seat').count()).toBeGreaterThan(5)
    await daemon.start()
    await expectGone(page.getByText(/What is shown is from/))
  })

  for (const theme of ['dark', 'light'] as const)
    for (const width of [390, 1280] as const)
      it(`has nothing to scroll sideways and nothing for axe to find, ${theme}, ${width} pixels wide`, async () => {
        await page.emulateMedia({ colorScheme: theme })
        await page.setViewportSize({ width, height: 844 })
        for (const path of [
          '/org?org=all',
          `/org/${kent.slug}?view=chart`,
          `/org/${kent.slug}?view=chart&find=developer`,
          `/org/${kent.slug}?view=list`,
          '/org/software-development-development-1',
          `/org/${kent.slug}/positions/${kent.seats['QA Lead']}`,
          `/org/${kent.slug}/vacancies`,
          `/org/${kent.slug}/proposals`,
          `/org/${kent.slug}/history`,
          `/org/${kent.slug}/settings`,
          '/personas?org=all&all=true',
          `/personas/${robbo}`,
          '/org/nobody',
        ]) {
          await open(path)
          expect({ path, ...(await inspect(page)) }).toEqual({ path, found: [], overflow: 0 })
        }
      })

  /** A program at work for Development runs the command line with the token that it was given. */
  async function asAgent(line: string): Promise<void> {
    const done = join(daemon.home, 'agent.done')
    const agency = `'${process.execPath}' '${resolve('src/cli/main.ts')}'`
    const { id } = await daemon.ask<{ id: string }>('POST', '/runs', {
      goal: 'Change the organisation',
      runtime: 'program',
      retry_budget: 0,
      crash_retries: 0,
      runtime_options: {
        command: ['sh', '-c', `${agency} ${line} > '${done}.log' 2>&1; echo $? > '${done}'; echo '{}'`],
      },
    })
    const ended = async (): Promise<boolean> =>
      (await daemon.ask<{ ended_at: string | null }>('GET', `/runs/${id}`)).ended_at !== null
    while (!existsSync(done) && !(await ended())) await pause(50)
    const code = readFileSync(done, 'utf8').trim()
    if (code !== '0') throw new Error(`agency ${line}: ${code} ${readFileSync(`${done}.log`, 'utf8')}`)
  }
})

/** The usual ways to smuggle something into a page through Markdown. */
const payloads = `# Mallory

<script>globalThis.pwned = 1</script>
<img src=x onerror="globalThis.pwned = 1">
<svg onload="globalThis.pwned = 1"><a xlink:href="javascript:globalThis.pwned = 1">harmful svg</a></svg>
<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>
<a href="javascript:globalThis.pwned=1" onclick="globalThis.pwned=1">harmful html</a>
<style>body { display: none }</style><base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">
<form action="https://evil.example/"><input name="a" autofocus onfocus="globalThis.pwned = 1"><button>harmful form</button></form>
<details open ontoggle="globalThis.pwned = 1"><summary>harmful details</summary></details>

[harmful 1](javascript:globalThis.pwned=1)
[harmful 2](JaVaScRiPt:globalThis.pwned=1)
[harmful 3](&#106;avascript&colon;globalThis.pwned=1)
[harmful 4](data:text/html;base64,PHNjcmlwdD5wYXJlbnQucHduZWQ9MTwvc2NyaXB0Pg==)
[harmful 5](vbscript:msgbox)
[harmful 6](//evil.example/)
[harmful 7](/api/stop)
<javascript:globalThis.pwned=1>
![picture](https://evil.example/pixel.png) ![x](javascript:globalThis.pwned=1)
[fine](https://example.org/fine "a title")

| a | b |
|:--|--:|
| <b onmouseover="globalThis.pwned=1">c</b> | ![](https://evil.example/2.png) |

- [x] a task

the end of it
`
