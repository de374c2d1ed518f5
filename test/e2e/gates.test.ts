import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectGone, expectShown, openView, settled, type WireRun } from '../support/dashboard.ts'
import { inspect, inspectInBothThemes } from '../support/inspect.ts'
import { makeRepository } from '../support/repository.ts'
import { type Visit, visitDashboard } from '../support/visit.ts'

if (noBrowser !== null) console.log(`skipped: gates and questions in a browser: ${noBrowser}`)

const whichQueue = {
  text: 'Which queue shall the client use?',
  context: 'Both are installed.',
  options: [
    { key: 'pg', label: 'PostgreSQL', detail: 'One thing less to run.' },
    { key: 'redis', label: 'Redis Streams', detail: 'Faster, but another service.' },
  ],
  recommendation: 'pg',
  risk: 'high',
}

const done = (output: string, text = 'Done.\n') => [
  { write: { path: output, text } },
  { usage: { input_tokens: 1_200, output_tokens: 340 } },
  { report: { status: 'done', summary: `Wrote ${output}`, outputs: [output] } },
]

/** A plan: the second brief asks a question first, and a verifier fails the third one once. */
const plan = () => {
  const brief = (key: string, title: string, after: string[], attempts: unknown[], verify?: unknown[]) => ({
    key,
    title,
    objective: `${title}, and prove it`,
    after,
    evidence: [{ kind: 'file', path: `${key}.md`, contains: 'Done' }],
    verify: verify === undefined ? 'none' : 'agent',
    runtime_options: { scenario: { attempts, ...(verify === undefined ? {} : { verify }) } },
  })
  const verdict = (body: object) => [{ report: { status: 'done', summary: 'Looked', verdict: body } }]
  return [
    brief('schema', 'Design the schema', [], [done('schema.md')]),
    brief(
      'queue',
      'Queue client',
      ['schema'],
      [[{ report: { status: 'blocked', summary: whichQueue.text, question: whichQueue } }], done('queue.md')],
    ),
    brief(
      'guide',
      'Guide',
      ['queue'],
      [done('guide.md'), done('guide.md', 'Done. Stop it with Ctrl+C.\n')],
      [
        verdict({ verdict: 'fail', checked: '{{outputs}}', issues: ['It does not say how to stop it.'] }),
        verdict({ verdict: 'pass', checked: '{{outputs}}' }),
      ],
    ),
  ]
}

const sizes = [
  [1366, 768],
  [1280, 800],
  [1440, 900],
  [390, 844],
] as const

/** Reports whether an element can be pressed without scrolling: nothing cuts it off or covers it. */
const isInView = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return [top + 2, bottom - 2].every((y) => element.contains(document.elementFromPoint((left + right) / 2, y)))
  })

describe.skipIf(noBrowser !== null)('gates and questions on the page', () => {
  let daemon: TestDaemon
  let page: Page
  let enter: Visit['enter']
  visitDashboard((visit) => ({ daemon, page, enter } = visit))

  const start = (goal: string, over: object = {}): Promise<WireRun> =>
    daemon.ask<WireRun>('POST', '/runs', { goal, runtime: 'scripted', plan_gate: true, briefs: plan(), ...over })

  const statusOf = async (run: WireRun): Promise<string> => (await daemon.ask<WireRun>('GET', `/runs/${run.id}`)).status

  interface WireGate {
    id: string
    gate: string
    status: string
    by: string
    reason: string | null
  }
  const gatesOf = async (run: WireRun): Promise<WireGate[]> =>
    (await daemon.ask<{ gates: WireGate[] }>('GET', `/runs/${run.id}/gates`)).gates

  const card = (title: string, goal: string) =>
    page.locator('.ask:not([data-over])').filter({ hasText: title }).filter({ hasText: goal })

  it('lead a run from its plan to its end: approve, answer, reject with a reason, accept', async () => {
    const goal = 'From gate to done'
    const run = await start(goal, { acceptance: 'operator', cost_limit: 5 })
    await enter('/')
    const planCard = card('The plan is ready', goal)
    await expectShown(planCard.getByText('- queue: Queue client'))
    for (const part of ['Produced', 'Next', 'Anomalies', 'Cost so far'])
      await expectShown(planCard.getByText(part, { exact: true }))
    await expectShown(planCard.getByText('of $5.00'))
    await planCard.getByRole('button', { name: 'Approve and start 3 briefs' }).dblclick()
    await expectShown(page.getByRole('status').filter({ hasText: /Approved — 1 brief starts now/ }))
    await expect.poll(async () => (await gatesOf(run))[0]).toMatchObject({ gate: 'plan', status: 'approved' })

    const question = card(whichQueue.text, goal)
    await expectShown(question.getByText('high risk'))
    await expectShown(question.getByText('One thing less to run.'))
    await expectShown(question.getByRole('button', { name: /PostgreSQL.*recommended/ }))
    await question.getByRole('button', { name: 'Redis Streams' }).click()
    await expectShown(page.getByRole('status').filter({ hasText: /answered.*Redis Streams/ }))

    const acceptance = card('The result is ready', goal)
    await acceptance.locator('summary').filter({ hasText: 'guide.md' }).click()
    await expectShown(acceptance.getByText('Stop it with Ctrl+C.'))
    await expectShown(acceptance.getByText('3 of 3 proofs held'))
    await expectShown(acceptance.getByText(/^Verified by .*: 1 passed/))
    await acceptance.getByRole('button', { name: 'Reject…' }).click()
    const dialog = page.getByRole('dialog', { name: /The result is ready/ })
    const rejecting = dialog.getByRole('button', { name: 'Reject with this reason' })
    await expectShown(rejecting)
    expect(await rejecting.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('The guide lacks a picture')
    await rejecting.click()
    await expectShown(page.getByRole('status').filter({ hasText: /Rejected — 1 brief is done again/ }))

    await page.goto(`${daemon.dashboard}/runs/${run.id}`)
    const again = page.locator('.run-waiting').getByRole('button', { name: 'Approve and finish the run' })
    await expectShown(again)
    await again.click()
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    expect((await gatesOf(run)).map(({ gate, status }) => `${gate} ${status}`)).toEqual([
      'plan approved',
      'acceptance rejected',
      'acceptance approved',
    ])

    const tree = page.getByRole('tree')
    await tree.getByRole('treeitem', { name: /^Guide/ }).click()
    const detail = page.getByRole('article', { name: 'Brief Guide' })
    await expectShown(detail.getByText('The guide lacks a picture').first())
    await expectShown(detail.getByText('It does not say how to stop it.').first())
    await expectShown(detail.getByText(/^pass/).first())
    await expectShown(tree.getByRole('treeitem', { name: /Verify Guide/ }).first())
    await openView(page, 'Evidence', /Decisions/)
    await expectShown(page.getByRole('region', { name: 'Decisions' }).getByText('Redis Streams'))
    await openView(page, 'Work', 'Graph')
    await expectShown(page.getByRole('link', { name: /^Queue client done/ }))
    await openView(page, 'Work', 'Time')
    await expectShown(page.getByRole('region', { name: 'Attempts over time' }).getByText('Waiting for you'))
    await openView(page, 'Work', 'Cost')
    await expectShown(
      page
        .getByRole('region', { name: 'Cost' })
        .getByText(/limit \$5\.00/)
        .first(),
    )
    await openView(page, 'Evidence', 'Proofs')
    await expectShown(page.getByRole('region', { name: 'Evidence' }).getByText('1 of 1 proven').first())
    await page.getByRole('tab', { name: 'Log' }).click()
    await expectShown(
      page
        .locator('.line')
        .filter({ hasText: /GATE.*APPROVED/ })
        .first(),
    )
  })

  it('keep the buttons in view at every size, and those of the next card after a decision', async () => {
    const goal = 'Twelve parts'
    const question = { ...whichQueue, context: 'Both are installed.\n'.repeat(30) }
    const [first, ...others] = Array.from({ length: 12 }, (_, index) => ({
      key: `part-${index}`,
      title: `Part ${index} with a title that says at some length which part it is`,
      objective: `Write part ${index}`,
      evidence: [{ kind: 'file', path: 'part.md' }],
      after: index === 0 ? [] : ['part-0'],
    }))
    const asks = [{ report: { status: 'blocked', summary: question.text, question } }]
    const briefs = [{ ...first, runtime_options: { scenario: { steps: asks } } }, ...others]
    const run = await start(goal, { briefs })
    await enter(`/runs/${run.id}`)
    const approve = page.getByRole('button', { name: 'Approve and start 12 briefs' })
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height })
      await settled(page)
      await expect.poll(() => isInView(approve), { message: `Approve at ${width}×${height}` }).toBe(true)
    }
    await page.setViewportSize({ width: 1366, height: 768 })
    await approve.click()
    const option = page.getByRole('button', { name: /Redis Streams/ })
    await expectShown(option)
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height })
      await settled(page)
      await expect.poll(() => isInView(option), { message: `Redis Streams at ${width}×${height}` }).toBe(true)
    }
    const line = page.locator('.ask[data-over]').filter({ hasText: 'The plan is ready' })
    await expectShown(line.getByText(/^decided (now|\d+ s ago)$/))
    expect(
      await page.locator('.ask').evaluateAll((cards) => cards.map((card) => card.hasAttribute('data-over'))),
    ).toEqual([true, false])
    const { briefs: made } = await daemon.ask<{ briefs: { id: string; key: string }[] }>(
      'GET',
      `/runs/${run.id}/inspect`,
    )
    await page.setViewportSize({ width: 1280, height: 360 })
    await page.goto(`${daemon.dashboard}/runs/${run.id}/briefs/${made.find(({ key }) => key === 'part-11')?.id}`)
    await expect.poll(() => isInView(page.getByRole('treeitem', { selected: true }))).toBe(true)
    await daemon.ask('POST', `/runs/${run.id}/cancel`, {})
  })

  it('show the failed check in a question about a stuck brief, and offer amounts for a used-up budget', async () => {
    const failing = [{ kind: 'command', run: 'printf "expected a\\nactual b\\n"; test -e fixed' }]
    const report = { report: { status: 'done', summary: 'Fixed it at once' } }
    const attempts = [[report], [report], [{ write: { path: 'fixed', text: '1' } }, report]]
    const stuck = { on_limit: 'ask', retry_budget: 1, plan_gate: false, briefs: [], evidence: failing }
    await start('Slugs without accents', { ...stuck, runtime_options: { scenario: { attempts } } })
    const spends = { usage: { input_tokens: 120, output_tokens: 0 } }
    const paid = { plan_gate: false, briefs: [], on_limit: 'ask', token_budget: 100 }
    const steps = [spends, { hang: {} }]
    const run = await start('Write a haiku', {
      ...paid,
      runtime_options: { scenario: { attempts: [steps, done('a.md')] } },
    })
    await enter('/')
    const failed = card('is stuck', 'Slugs without accents')
    await expectShown(failed.getByText('Fixed it at once'))
    await expectShown(failed.getByText('2 attempts, same failure'))
    await expect.poll(() => failed.locator('pre').innerText()).toBe('expected a\nactual b')
    await expectShown(failed.getByText('Say what to do differently recommended'))
    expect(await failed.getByRole('button', { name: /Try again/ }).innerText()).not.toContain('recommended')
    await settled(page)
    expect(await inspectInBothThemes(page)).toEqual({ found: [], overflow: [] })
    await failed.getByRole('textbox', { name: /Say what to do differently/ }).fill('Create the file')
    await failed.getByRole('button', { name: 'Send answer' }).click()
    await expectShown(page.getByRole('status').filter({ hasText: /answered.*Create the file/ }))
    const budget = card('is used up', 'Write a haiku')
    await budget.getByRole('textbox', { name: /Another limit/ }).fill('as much as it takes')
    await budget.getByRole('button', { name: 'Send answer' }).click()
    await expectShown(budget.getByText(/is no limit/))
    await budget.getByRole('button', { name: '+10,000 tokens to 10,120 tokens' }).click()
    await expect.poll(() => statusOf(run)).toBe('done')
  })

  it('show the changes of a run file by file, and merge them', async () => {
    const goal = 'Count to four'
    const repository = makeRepository({ 'numbers.txt': 'one\ntwo\nthree\n', 'old name.txt': 'kept\n'.repeat(9) })
    const run = await daemon.ask<WireRun>('POST', '/runs', {
      goal,
      repo: repository.path,
      runtime: 'scripted',
      evidence: [{ kind: 'file', path: 'numbers.txt', contains: 'four' }],
      runtime_options: {
        scenario: {
          steps: [
            { write: { path: 'numbers.txt', text: 'one\n2\nthree\nfour\n' } },
            { run: 'git mv "old name.txt" "new näme.txt" && seq -f "number %.0f" 1 20000 > many.txt' },
            { report: { status: 'done', summary: 'Counted', outputs: ['numbers.txt'] } },
          ],
        },
      },
    })
    await enter('/')
    const merge = card('Changes are ready to be merged', goal)
    await expectShown(merge.getByText('numbers.txt', { exact: true }).first())
    await expectShown(merge.getByText('1 of 1 check passed'))
    await settled(page)
    expect(await inspectInBothThemes(page)).toEqual({ found: [], overflow: [] })
    await merge.getByRole('link', { name: 'Read the diff' }).click()

    const diff = page.getByRole('region', { name: 'Changes of the run' })
    await expectShown(diff.locator('.diff-line.added').getByText('four', { exact: true }))
    await expectShown(diff.locator('.diff-line.removed').getByText('two', { exact: true }))
    await expectShown(diff.getByRole('button', { name: /^old name\.txt\s*deleted/ }))
    await expectShown(diff.getByRole('button', { name: /^new näme\.txt\s*new/ }))
    const many = diff.getByRole('button', { name: /many\.txt/ })
    expect(await many.getAttribute('aria-expanded')).toBe('false')
    await settled(page)
    expect(await inspectInBothThemes(page)).toEqual({ found: [], overflow: [] })
    await many.click()
    await diff.press('k')
    await diff.press('j')
    await diff.press('End')
    await expectShown(diff.locator('.diff-line.added').getByText('number 20000', { exact: true }))
    expect(await diff.locator('.diff-row').count()).toBeLessThan(200)
    await page.setViewportSize({ width: 360, height: 740 })
    await settled(page)
    expect((await inspect(page)).overflow).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.locator('.run-waiting').getByRole('button', { name: 'Approve and merge into main' }).click()
    await expectShown(page.locator('.pr-head').getByText('merged', { exact: true }).first())
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    expect(repository.read('numbers.txt')).toBe('one\n2\nthree\nfour\n')

    await page.getByRole('tab', { name: 'Work' }).click()
    await page.getByRole('treeitem', { name: /done/ }).last().click()
    await page.getByText('Show the diff').click()
    const ofBrief = page.getByRole('region', { name: /^Changes of/ })
    await expectShown(ofBrief.locator('.diff-line.added').getByText('four', { exact: true }))
    await page.goto(`${daemon.dashboard}/pull-requests?status=merged`)
    await expectShown(page.getByRole('link', { name: goal }))
    expect((await gatesOf(run)).map(({ gate, status }) => `${gate} ${status}`)).toEqual(['merge approved'])

    await page.goto(`${daemon.dashboard}/runs/${run.id}`)
    await page.getByRole('button', { name: 'Revert…' }).click()
    await settled(page)
    expect(await inspect(page)).toEqual({ found: [], overflow: [] })
    await page.getByRole('dialog').getByRole('button', { name: 'Open the pull request' }).click()
    await expectShown(page.locator('.run-header').getByText(`Revert "${goal}"`).first())
    await page.locator('.run-waiting').getByRole('button', { name: 'Approve and merge into main' }).click()
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
    await expect.poll(() => repository.read('numbers.txt')).toBe('one\ntwo\nthree\n')
    await page.goto(`${daemon.dashboard}/runs/${run.id}?view=changes`)
    await expectShown(page.getByRole('link', { name: /^run_\w+ takes it back$/ }))
  })

  it('remove a card that was decided elsewhere, and name the decider on one that is being edited', async () => {
    const goals = ['Decided in a terminal', 'Decided while somebody writes']
    const runs = await Promise.all(goals.map((goal) => start(goal)))
    await enter('/')
    for (const goal of goals) await expectShown(card('The plan is ready', goal))
    await expectShown(page.getByRole('link', { name: /Inbox 2 decisions? pending/ }))
    await card('The plan is ready', goals[1] ?? '')
      .getByRole('button', { name: 'Reject…' })
      .click()
    await page.getByRole('textbox', { name: /Reason/ }).fill('Too early')
    for (const run of runs) await daemon.ask('POST', `/gates/${run.id}/approve`, {})
    await expectGone(card('The plan is ready', goals[0] ?? ''))
    await page.getByRole('button', { name: 'Reject with this reason' }).click()
    await expectShown(page.getByRole('alert').filter({ hasText: /approved already, by operator/i }))
    await page.getByRole('button', { name: 'Keep the gate open' }).click()
    await expectShown(page.getByRole('status').filter({ hasText: /approved by operator.*Decided while/ }))
    for (const run of runs) await daemon.ask('POST', `/runs/${run.id}/cancel`, {})
  })

  it('count approvals if several people have to agree', async () => {
    const goal = 'Two have to agree'
    const run = await start(goal, { approvals_needed: 2 })
    await daemon.ask('POST', '/personas', { name: 'Ruth', role: 'Reviewer', type: 'person' })
    await enter(`/runs/${run.id}`)
    const waiting = page.locator('.run-waiting')
    await expectShown(waiting.getByText('0 of 2 approvals'))
    // The title counts what waits on every page.
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Two have to agree · Agency$/)
    await waiting.getByRole('button', { name: /^Approve/ }).click()
    await expectShown(waiting.getByText('1 of 2 approvals', { exact: true }))
    expect(await statusOf(run)).toBe('gated')
    await waiting.getByRole('combobox', { name: 'as' }).selectOption({ label: 'Ruth' })
    await waiting.getByRole('button', { name: /^Approve/ }).click()
    await expect.poll(() => statusOf(run)).not.toBe('gated')
    await daemon.ask('POST', `/runs/${run.id}/cancel`, {})
  })

  it('pause and resume a run', async () => {
    const run = await start('Paused for lunch')
    await enter(`/runs/${run.id}`)
    await page.getByRole('button', { name: 'Pause run' }).click()
    await expectShown(page.locator('.run-header').getByText('paused', { exact: true }))
    await expectShown(page.getByRole('treeitem', { name: /Design the schema pending: the run is paused/ }))
    await page.getByRole('button', { name: 'Resume run' }).click()
    await expectShown(page.locator('.run-header').getByText('waits for you', { exact: true }))
    await daemon.ask('POST', `/runs/${run.id}/cancel`, {})
  })

  it('show a stop of everything at the top of the inbox, and lift it', async () => {
    await enter('/')
    await page.getByRole('button', { name: 'Stop everything…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click()
    await expectShown(page.getByText(/Everything is stopped/))
    await expectGone(page.getByRole('button', { name: 'Stop everything…' }))
    // The banner is on every page.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click()
    await expectShown(page.getByRole('heading', { level: 1, name: 'Events' }))
    await expectShown(page.getByText(/Everything is stopped/))
    await page.getByRole('button', { name: 'Lift the stop' }).click()
    await expectGone(page.getByText(/Everything is stopped/))
  })

  it('can be decided on a phone, with no horizontal overflow and no axe findings', async () => {
    const goal = 'On the way home'
    const run = await start(goal, { acceptance: 'operator' })
    await page.setViewportSize({ width: 360, height: 740 })
    await enter('/')
    const planCard = card('The plan is ready', goal)
    await expectShown(planCard.getByText('- queue: Queue client'))
    await settled(page)
    expect(await inspect(page)).toEqual({ found: [], overflow: [] })
    const approve = planCard.getByRole('button', { name: 'Approve and start 3 briefs' })
    const box = await approve.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    await approve.click()
    const question = card(whichQueue.text, goal)
    await expectShown(question.getByRole('button', { name: /Redis Streams/ }))
    await settled(page)
    expect(await inspect(page)).toEqual({ found: [], overflow: [] })
    await question.getByRole('textbox', { name: 'Other answer' }).fill('NATS, we have it already')
    await question.getByRole('button', { name: 'Send answer' }).click()
    await expectShown(page.getByRole('status').filter({ hasText: /answered.*NATS/ }))
    await expectShown(card('The result is ready', goal))
    await page.goto(`${daemon.dashboard}/runs/${run.id}`)
    await expectShown(page.locator('.run-waiting').getByRole('button', { name: 'Approve and finish the run' }))
    const views = { tree: 'Briefs', log: 'Events', output: 'Output', graph: 'Graph', time: 'Time', cost: 'Cost' }
    const proofs = { evidence: 'Proofs', notes: 'Notes', decisions: 'Decisions' }
    for (const [view, name] of Object.entries({ ...views, ...proofs })) {
      await page.goto(`${daemon.dashboard}/runs/${run.id}?view=${view}`)
      await expectShown(page.getByRole('tab', { name: new RegExp(`^${name}`), selected: true }))
      await settled(page)
      const { found, overflow } = await inspect(page)
      // A graph may be wider than the screen, because it scrolls in its own window.
      expect({ view, found, overflow: overflow.filter((each) => !each.startsWith('div.graph')) }).toEqual({
        view,
        found: [],
        overflow: [],
      })
    }
    await page.locator('.run-waiting').getByRole('button', { name: 'Approve and finish the run' }).click()
    await expectShown(page.locator('.run-header').getByText('done', { exact: true }))
  })
})

describe.skipIf(noBrowser !== null)('a decision on the page that can be undone', () => {
  let visit: Visit
  visitDashboard(
    (each) => (visit = each),
    () => {},
    { AGENCY_UNDO_SECONDS: '60' },
  )

  it('is a line with the time left and Undo in every tab, and takes effect at its time', async () => {
    const { daemon, page, context, enter } = visit
    const goal = 'Think twice'
    const run = await daemon.ask<WireRun>('POST', '/runs', { goal, runtime: 'scripted', plan_gate: true })
    await enter('/')
    const approve = page.getByRole('button', { name: /^Approve and start/ })
    await approve.focus()
    await page.keyboard.press('Enter')
    const line = page.locator('[data-decision]')
    await expectShown(line.getByText(/^takes effect in \d+ s$/))
    await expectShown(line.getByText('Approved by you', { exact: true }))
    expect(await approve.isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-decision'))).toBe(true)
    await settled(page)
    expect(await inspectInBothThemes(page)).toEqual({ found: [], overflow: [] })
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await inspect(page)).toEqual({ found: [], overflow: [] })
    const other = await context.newPage()
    await other.goto(`${daemon.dashboard}/runs/${run.id}`)
    await expectShown(other.locator('.run-waiting [data-decision]').getByText('Approved by you', { exact: true }))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expectShown(approve)
    await expect.poll(() => approve.evaluate((button) => button === document.activeElement)).toBe(true)
    await expectShown(other.locator('.run-waiting').getByRole('button', { name: /^Approve and start/ }))
    const statusOf = async (): Promise<string> => (await daemon.ask<WireRun>('GET', `/runs/${run.id}`)).status
    expect(await statusOf()).toBe('gated')
    await daemon.ask('POST', `/gates/${run.id}/approve`, { undo_seconds: 1 })
    await expectGone(approve)
    await expect.poll(statusOf).not.toBe('gated')
  })
})
