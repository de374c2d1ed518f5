import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { noBrowser } from '../support/browser.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { expectGone, expectShown } from '../support/dashboard.ts'
import { type Visit, visitDashboard } from '../support/visit.ts'

const planOf = (command: string): string =>
  JSON.stringify({
    goal: 'Write a word',
    runtime: 'program',
    runtime_options: { command: ['sh', '-c', command] },
    briefs: [{ key: 'a', objective: 'Write it' }],
  })

describe.skipIf(noBrowser !== null)('the settings', () => {
  let daemon: TestDaemon
  let page: Page
  let enter: Visit['enter']
  visitDashboard((visit) => ({ daemon, page, enter } = visit))

  const choose = async (text: string, name = 'plan.json'): Promise<void> => {
    const mimeType = 'application/json'
    await page.getByLabel('Review a plan or a team file').setInputFiles({ name, mimeType, buffer: Buffer.from(text) })
  }
  const start = (plan: string): Promise<{ id: string }> => daemon.ask('POST', '/plans/run', { plan })

  it('show all that a plan starts before it is trusted, ask again after an edit, and trust it no longer', async () => {
    const first = planOf('echo one')
    await enter('/settings')
    await expectShown(page.getByText('No plan or team file may start commands yet.'))
    await choose(first)
    await expectShown(page.getByText("'sh' '-c' 'echo one'"))
    await expect(start(first)).rejects.toThrow('not trusted')
    await page.getByRole('button', { name: 'Trust this file' }).click()
    await expectShown(page.getByText('This file is trusted now.'))
    await expect(start(first)).resolves.toMatchObject({ id: expect.any(String) })

    const edited = planOf('echo one\u202e; echo two')
    await choose(edited)
    await expectShown(page.getByText("'sh' '-c' 'echo one\\u{202e}; echo two'"))
    await expectShown(page.getByText('program, new since it was trusted'))
    await expectShown(page.getByText('Since a file of this name was trusted, these lines have changed:'))
    await expect(start(edited)).rejects.toThrow('not trusted')

    await page.getByRole('button', { name: /^Trust plan\.json, .* no longer$/ }).click()
    await expectGone(page.getByRole('button', { name: /no longer$/ }))
    await expect(start(first)).rejects.toThrow('not trusted')
  })

  it('need no trust for a file that starts nothing, and explain a file that cannot be read', async () => {
    await enter('/settings')
    await choose(JSON.stringify({ goal: 'Talk', briefs: [{ key: 'a', objective: 'Say it' }] }))
    await expectShown(page.getByText('plan.json starts nothing, so it needs no trust.'))
    expect(await page.getByRole('button', { name: 'Trust this file' }).count()).toBe(0)
    await choose('goal: [', 'broken.yaml')
    await expectShown(page.getByRole('alert').getByText('broken.yaml is neither a plan nor a team file'))
  })
})
