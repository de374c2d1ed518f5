import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectGone, expectShown, settled, signIn, startRun } from '../support/dashboard.ts'
import { inspect, inspectInBothThemes } from '../support/inspect.ts'
import { sixSeats } from '../support/org-cli.ts'
import { company, importOrganisation, type MadeOrganisation } from '../support/organisation.ts'
import { visitDashboard } from '../support/visit.ts'

if (noBrowser !== null) console.log(`skipped: the organisation in a browser: ${noBrowser}`)

describe.skipIf(noBrowser !== null)('the organisation in the dashboard', () => {
  let daemon: TestDaemon
  let page: Page
  let kent: MadeOrganisation
  let robbo: string
  let sussex: MadeOrganisation

  visitDashboard(
    async (visit) => {
      page = visit.page
      await signIn(page, daemon)
    },
    async (started) => {
      daemon = started
      // Kent is not changed: a test that changes an organisation creates one of its own.
      kent = await importOrganisation(daemon, sixSeats('Kent'))
      robbo = (await holderOf(kent, 'Principal Architect')) ?? ''
      await daemon.ask('PATCH', `/orgs/${kent.slug}`, { lead_position_id: kent.seats['Principal Architect'] })
      // Sussex has content on each of its pages.
      sussex = await importOrganisation(daemon, sixSeats('Sussex'))
      await assign(sussex, 'Developer', await makePersona('Jude', 'developer'))
      await limit(sussex, 'QA Lead')
      await propose(sussex, 'Tester', 'Reviews wait for four days')
      const turnedDown = await propose(sussex, 'Second tester', 'And one for the nights')
      await daemon.ask('POST', `/proposals/${turnedDown}/reject`, { answer: 'No night shifts here' })
      await daemon.ask('POST', `/orgs/${sussex.slug}/positions`, {
        title: 'Gardener',
        role: 'developer',
        level: 4,
        reports_to: 'QA Lead',
      })
    },
  )

  const open = async (path: string): Promise<void> => {
    await page.goto(daemon.dashboard + path)
    await settled(page)
  }
  const seat = (title: string, org = kent) => page.locator(`.seat[data-position="${org.seats[title]}"]`)
  const makePersona = async (name: string, role: string): Promise<string> =>
    (await daemon.ask<{ slug: string }>('POST', '/personas', { name, role })).slug
  const assign = (org: MadeOrganisation, title: string, persona: string): Promise<unknown> =>
    daemon.ask('POST', `/positions/${org.seats[title]}/assignment`, { persona, reassign: true })
  const holderOf = async (org: MadeOrganisation, title: string): Promise<string | undefined> => {
    const { position } = await daemon.ask<{ position: { assignment: { persona_slug: string } | null } }>(
      'GET',
      `/positions/${org.seats[title]}`,
    )
    return position.assignment?.persona_slug
  }
  const limit = (org: MadeOrganisation, title: string): Promise<unknown> =>
    daemon.ask('PUT', `/positions/${org.seats[title]}/authority/spend_per_day`, {
      limit: 2_500,
      unit: 'USD',
      on_breach: 'gate',
    })
  /** Proposes a document with one more seat to the operator. */
  const propose = async (org: MadeOrganisation, title: string, reason: string): Promise<number> => {
    const { document } = await daemon.ask<{ document: string }>('GET', `/orgs/${org.slug}/export`)
    const more = `${document}  - { title: ${title}, role: qa, level: 4, reports_to: QA Lead, escalates_to: QA Lead }\n`
    const made = await daemon.ask<{ proposal_id: number }>('POST', '/orgs/proposals', { document: more, reason })
    return made.proposal_id
  }
  const pathname = (): string => new URL(page.url()).pathname
  const search = (): string => new URL(page.url()).search

  it('shows every seat with its holder or as vacant, and a legend of the lines', async () => {
    await open(`/org/${kent.slug}`)
    await expect.poll(() => page.locator('.seat').count()).toBe(6)
    await expectShown(seat('Principal Architect').getByText('Robbo of Kent'))
    await expectShown(seat('Principal Architect').getByText('lead'))
    await expectShown(seat('AR Director').getByText('cross-cutting'))
    await expectShown(seat('QA Lead').getByText('vacant'))
    await expect
      .poll(() => seat('QA Lead').getAttribute('aria-label'))
      .toBe('QA Lead vacant L3 qa, reports to Project Manager, escalates to Principal Architect')
    const legend = page.getByRole('list', { name: 'Legend' })
    await expectShown(legend.getByText('reports to'))
    await expectShown(legend.getByText('escalates to, if different'))
    const lines = (): Promise<{ count: number; isDashed: boolean }[]> =>
      page.evaluate(() =>
        ['reporting', 'escalation'].map((name) => {
          const path = document.querySelector(`.chart-lines .${name}`)
          return {
            count: path?.getAttribute('d')?.match(/M/g)?.length ?? 0,
            isDashed: path !== null && getComputedStyle(path).strokeDasharray !== 'none',
          }
        }),
      )
    // Three seats do not escalate to their manager: the AR Director, the Senior Developer and the QA Lead.
    await expect.poll(lines).toEqual([
      { count: expect.any(Number) as number, isDashed: false },
      { count: 3, isDashed: true },
    ])
  })

  it('moves between seats with the arrow keys, opens one with Enter, and returns to it', async () => {
    await open(`/org/${kent.slug}`)
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.querySelector('.seat-title')?.textContent ?? '')
    await page.getByRole('button', { name: 'List' }).focus()
    for (const [key, title] of [
      ['Tab', 'Principal Architect'],
      ['ArrowDown', 'Project Manager'],
      ['ArrowDown', 'Senior Developer'],
      ['ArrowRight', 'Developer'],
      ['ArrowRight', 'QA Lead'],
      ['ArrowUp', 'Project Manager'],
      ['Home', 'Principal Architect'],
      ['ArrowRight', 'AR Director'],
      ['End', 'AR Director'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(focused, { message: key }).toBe(title)
    }
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('heading', { level: 1, name: 'AR Director' }))
    await expect.poll(pathname).toBe(`/org/${kent.slug}/positions/${kent.seats['AR Director']}`)
    await page.goBack()
    await expectShown(page.locator('.seat').first())
    await page.waitForFunction(
      (title) => document.querySelector('.seat[tabindex="0"] .seat-title')?.textContent === title,
      'AR Director',
    )
  })

  it('zooms, fits and drags, and a drag is not a click', async () => {
    await open(`/org/${kent.slug}`)
    const look = (): Promise<string> =>
      page.locator('.chart-world').evaluate((world: HTMLElement) => world.style.transform)
    await expectShown(seat('Developer'))
    const fitted = await look()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(look).not.toBe(fitted)
    await page.getByRole('button', { name: 'Fit' }).click()
    await expect.poll(look).toBe(fitted)

    const box = await seat('Developer').boundingBox()
    if (box === null) throw new Error('the seat has no bounding box')
    await page.mouse.move(box.x + 40, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + 10, box.y - 30, { steps: 5 })
    await page.mouse.up()
    await expect.poll(async () => Math.round(((await seat('Developer').boundingBox())?.y ?? 0) - box.y)).toBe(-50)
    expect(pathname()).toBe(`/org/${kent.slug}`)
    await seat('Developer').click()
    await expectShown(page.getByRole('heading', { level: 1, name: 'Developer' }))
  })

  it('finds seats by title, holder or role, with the search in the address', async () => {
    await open(`/org/${kent.slug}`)
    await page.getByRole('searchbox').fill('developer')
    await expectShown(page.getByText('2 found'))
    await expect.poll(() => page.locator('.seat[data-found]').count()).toBe(2)
    await page.getByRole('searchbox').press('Enter')
    await expectShown(page.getByText('1 of 2 found'))
    await expect.poll(search).toBe('?find=developer')
    await page.getByRole('searchbox').fill('nobody of that name')
    await expectShown(page.getByText('no matches'))
  })

  it('is also a text tree with the same seats and its own keys', async () => {
    await open(`/org/${kent.slug}?view=list`)
    const tree = page.getByRole('tree', { name: 'Seats of Kent, 6 seats' })
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(6)
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

  it('shows a new holder live on the chart, among the vacancies and on the seat’s page', async () => {
    const surrey = await importOrganisation(daemon, sixSeats('Surrey'))
    const con = await makePersona('Con', 'developer')
    const vera = await makePersona('Vera', 'developer')
    await open(`/org/${surrey.slug}`)
    await page.evaluate(() => Object.assign(window, { untouched: true }))
    await expectShown(seat('Developer', surrey).getByText('vacant'))
    await assign(surrey, 'Developer', con)
    await expectShown(seat('Developer', surrey).getByText('Con'))
    await assign(surrey, 'Developer', vera)
    await expectShown(seat('Developer', surrey).getByText('Vera'))

    const pages = page.getByRole('navigation', { name: 'Pages of Surrey' })
    await pages.getByRole('link', { name: /^Vacancies/ }).click()
    await expectShown(page.getByRole('row', { name: /^Senior Developer/ }).getByText('Con'))
    await expectGone(page.getByRole('row', { name: /^Developer/ }))
    await daemon.ask('DELETE', `/positions/${surrey.seats['Developer']}/assignment`)
    await page
      .getByRole('row', { name: /^Developer/ })
      .getByRole('link', { name: 'Developer' })
      .click()

    await expectShown(page.getByRole('region', { name: 'Holder' }).getByText('vacant', { exact: true }))
    const held = page.getByRole('region', { name: 'Assignments' }).getByRole('link')
    await expect.poll(() => held.allTextContents()).toEqual(['Vera', 'Con'])
    await assign(surrey, 'Developer', con)
    await expectShown(page.getByRole('region', { name: 'Assignments' }).getByText('current'))
    expect(await page.evaluate(() => 'untouched' in window)).toBe(true)
  })

  it('distinguishes the reporting line and the escalation path of a seat', async () => {
    const rutland = await importOrganisation(daemon, sixSeats('Rutland'))
    await open(`/org/${rutland.slug}/positions/${rutland.seats['QA Lead']}`)
    const titles = (name: string) => async (): Promise<string[]> => {
      const texts = await page.getByRole('list', { name }).getByRole('listitem').allTextContents()
      return texts.map((text) => text.replace(/ +(vacant|Robbo).*/, ''))
    }
    await expect
      .poll(titles('Reporting line'))
      .toEqual(['QA Lead', 'Project Manager', 'Principal Architect', 'Operator'])
    await expect.poll(titles('Escalation path')).toEqual(['QA Lead', 'Principal Architect', 'Operator'])
    await limit(rutland, 'QA Lead')
    await expectShown(
      page.getByRole('region', { name: 'Authority' }).getByText('2,500 USD, asks the operator above the limit'),
    )
    await page.getByRole('link', { name: 'Principal Architect' }).first().click()
    const reports = page.getByRole('region', { name: 'Direct reports' })
    await expectShown(reports.getByRole('link', { name: 'Project Manager' }))
    await expectShown(reports.getByText('Escalate to this seat without reporting to it'))
  })

  it('shows a persona with its seats in all organisations, and its files as on disk', async () => {
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

  it('lets no content of a persona’s text run, send requests, or imitate the page', async () => {
    const mallory = await makePersona('Mallory', 'developer')
    await daemon.ask('PUT', `/personas/${mallory}/skill`, { text: payloads })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(daemon.dashboard)) elsewhere.push(request.url())
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
      // The alignment of the table's columns.
      styles: ['text-align: left;', 'text-align: right;'],
      addresses: ['https://example.org/fine'],
    })
    for (const link of await text.getByText(/^harmful/).all()) await link.click({ force: true })
    expect(pathname()).toBe(`/personas/${mallory}`)
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false)
    expect(elsewhere).toEqual([])
  })

  it('lists proposals with their changes, and decides them', async () => {
    const essex = await importOrganisation(daemon, sixSeats('Essex'))
    await propose(essex, 'Tester', 'Reviews wait for four days')
    await open(`/org/${essex.slug}/proposals`)
    const tester = page.getByRole('listitem').filter({ hasText: 'Reviews wait for four days' })
    await expectShown(tester.getByText('seat Tester'))

    await propose(essex, 'Second tester', 'And one for the nights')
    const nights = page.getByRole('listitem').filter({ hasText: 'And one for the nights' })
    await nights.getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog')
    await expectShown(dialog.getByRole('button', { name: 'Reject and answer', disabled: true }))
    await dialog.getByRole('textbox').fill('No night shifts here')
    await dialog.getByRole('button', { name: 'Reject and answer' }).click()
    await expectShown(nights.getByText('Answer: No night shifts here'))

    await tester.getByRole('button', { name: 'Apply 1 change' }).click()
    await expectShown(tester.getByText('applied', { exact: true }))
    await page.getByRole('navigation', { name: 'Pages of Essex' }).getByRole('link', { name: 'Chart' }).click()
    await expectShown(page.getByRole('link', { name: /^Tester vacant/ }))
  })

  it('adds a proposal to the open inbox, with the reason', async () => {
    const devon = await importOrganisation(daemon, sixSeats('North Devon'))
    await open('/')
    await propose(devon, 'Tester', 'Nobody reads the reports')
    const card = page.getByRole('listitem').filter({ hasText: 'Nobody reads the reports' })
    await expectShown(card.getByText('proposed', { exact: true }))
    await card.getByRole('link', { name: '1 change to North Devon' }).click()
    await expectShown(page.getByRole('heading', { level: 1, name: 'North Devon Proposals' }))
    await page.getByRole('button', { name: 'Apply 1 change' }).click()
    await expectShown(page.getByText('applied', { exact: true }))
    await page.goBack()
    await expectShown(page.getByRole('heading', { level: 1, name: 'Inbox' }))
    await expectGone(card)
  })

  it('records the author of each change', async () => {
    await open(`/org/${sussex.slug}/history`)
    await expectShown(page.getByRole('row', { name: /seat "Gardener" created/ }).getByText('operator'))
    await expectShown(page.getByRole('row', { name: /takes seat "Developer"/ }).getByText('operator'))
  })

  it('shows intent and settings, and marks values that are not defaults', async () => {
    const devon = await importOrganisation(daemon, sixSeats('Devon'))
    await daemon.ask('PUT', `/orgs/${devon.slug}/settings/governance`, { value: 'advise' })
    await open(`/org/${devon.slug}/settings`)
    await expectShown(page.getByRole('region', { name: 'Intent' }).getByText('no night shifts'))
    await expectShown(page.getByText('advise default enforce'))
    await daemon.ask('PUT', `/orgs/${devon.slug}/settings/governance`, { value: 'enforce' })
    await expectShown(page.getByText('enforce default'))
  })

  it('switches between one and all organisations, and remembers the choice', async () => {
    await startRun(daemon, 'done', 'Work for Development')
    await open('/org')
    await expectShown(page.getByRole('heading', { level: 1, name: 'Organisations' }))
    const which = page.getByRole('combobox', { name: 'Selected organisation' })
    await which.selectOption({ label: 'Kent' })
    await expectShown(page.getByRole('heading', { level: 1, name: 'Kent' }))
    await expect.poll(pathname).toBe(`/org/${kent.slug}`)
    await open('/org')
    await expectShown(page.getByRole('heading', { level: 1, name: 'Kent' }))
    await open('/runs')
    await expectShown(page.getByRole('heading', { name: 'Kent has no runs yet' }))
    await open('/runs?org=all')
    await expectShown(page.getByRole('link', { name: 'Work for Development' }))
    await open('/personas')
    await expectShown(page.getByRole('row', { name: /^Robbo of Kent/ }))
    await expectGone(page.getByRole('row', { name: /^Operator/ }))
    await which.selectOption({ label: 'All organisations' })
    await expectShown(page.getByRole('row', { name: /^Operator/ }))
    await expect.poll(search).toBe('?org=all')
    await open('/org/KENT')
    await page.waitForFunction((slug) => location.pathname === `/org/${slug}`, kent.slug)
  })

  it('shows nothing of other organisations before the chosen one is known', async () => {
    await startRun(daemon, 'done', 'Work for Development')
    // A pending gate: its count in the navigation shows that everything but the list of organisations is loaded.
    await daemon.ask('POST', '/runs', { goal: 'Planned', runtime: 'scripted', plan_gate: true })
    await open(`/org/${kent.slug}`)
    // Records every displayed text, however briefly it is shown.
    await page.addInitScript(() => {
      const shown = new Set<string>()
      Object.assign(globalThis, { shown })
      new MutationObserver(() => {
        for (const row of document.querySelectorAll('tr')) shown.add(row.textContent)
      }).observe(document, { childList: true, subtree: true })
    })
    const everShown = (): Promise<string> =>
      page.evaluate(() => [...(globalThis as unknown as { shown: Set<string> }).shown].join('\n'))
    // The list of organisations arrives last, after all other requests of the page.
    await page.route(`${daemon.dashboard}/api/orgs?*`, async (route) => {
      await expect.poll(() => page.locator('main').getAttribute('aria-busy')).toBe('true')
      await expectShown(page.getByRole('link', { name: /Inbox.*pending/ }))
      await route.continue()
    })
    await open('/runs')
    await expectShown(page.getByRole('heading', { name: 'Kent has no runs yet' }))
    expect(await everShown()).not.toContain('Work for Development')
    await open('/personas')
    await expectShown(page.getByRole('row', { name: /^Robbo of Kent/ }))
    expect(await everShown()).not.toContain('Operator')
  })

  it('opens organisations, seats and personas from the palette', async () => {
    await open(`/org/${kent.slug}/history`)
    const goTo = async (text: string, name: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Page, run or action' }).fill(text)
      await expectShown(page.getByRole('option', { name, selected: true }))
      await page.keyboard.press('Enter')
    }
    await goTo('seat qa lead', /QA Lead.*seat/)
    await expectShown(page.getByRole('heading', { level: 1, name: 'QA Lead' }))
    await goTo('persona robbo', /Robbo of Kent/)
    await expectShown(page.getByRole('heading', { level: 1, name: 'Robbo of Kent' }))
    await goTo('kent vacancies', /Kent: vacancies/)
    await expectShown(page.getByRole('heading', { level: 1, name: 'Kent Vacancies' }))
  })

  it('explains an address that does not exist, and how to fill an empty chart', async () => {
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
    const inside = (): Promise<number> =>
      page.evaluate(() => {
        const window = document.querySelector('.chart-window')?.getBoundingClientRect()
        if (window === undefined) return 0
        return [...document.querySelectorAll('.seat')].filter((seat) => {
          const { left, right, top, bottom } = seat.getBoundingClientRect()
          return left >= window.left && right <= window.right && top >= window.top && bottom <= window.bottom
        }).length
      })
    await expect.poll(inside).toBe(500)
    expect(await inspect(page)).toEqual({ found: [], overflow: [] })
    await daemon.ask('PATCH', `/orgs/${big.slug}`, { status: 'archived' })
  })

  it('waits for a daemon that is away and continues when it is back, also on a page whose code was not loaded yet', async () => {
    await open('/settings')
    await daemon.stop()
    await expectShown(page.getByText(/Offline: the daemon does not answer/))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Organisation' }).click()
    await expectShown(page.getByRole('alert').getByText('The daemon does not answer.'))
    await daemon.start()
    await expectGone(page.getByText(/Offline/))
    await expectShown(page.getByRole('heading', { level: 1, name: 'Organisations' }))
    await page.getByRole('link', { name: 'Kent' }).click()
    await expectShown(page.locator('.seat').first())
    await daemon.stop()
    await expectShown(page.getByText(/This page shows data from/))
    await expect.poll(() => page.locator('.seat').count()).toBe(6)
    await daemon.start()
    await expectGone(page.getByText(/This page shows data from/))
  })

  for (const width of [390, 1280] as const)
    it(`has no horizontal overflow and no axe findings, dark and light, ${width} pixels wide`, async () => {
      await page.setViewportSize({ width, height: 844 })
      for (const path of [
        '/org?org=all',
        `/org/${sussex.slug}?view=chart`,
        `/org/${sussex.slug}?view=chart&find=developer`,
        `/org/${sussex.slug}?view=list`,
        '/org/software-development-development-1',
        `/org/${sussex.slug}/positions/${sussex.seats['QA Lead']}`,
        `/org/${sussex.slug}/vacancies`,
        `/org/${sussex.slug}/proposals`,
        `/org/${sussex.slug}/history`,
        `/org/${sussex.slug}/settings`,
        '/personas?org=all&all=true',
        `/personas/${robbo}`,
        '/org/nobody',
      ]) {
        await open(path)
        expect({ path, ...(await inspectInBothThemes(page)) }).toEqual({ path, found: [], overflow: [] })
      }
    })
})

/** Common injections into a page through Markdown. */
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
