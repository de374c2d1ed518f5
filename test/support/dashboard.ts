import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Locator, Page } from 'playwright-core'
import { build } from 'vite'

import { builtDashboard } from './bundle.ts'
import type { TestDaemon } from './daemon.ts'

export interface Dashboard {
  /** The folder from which a daemon serves the dashboard. */
  readonly root: string
  remove(): void
}

/** Builds the current dashboard into a folder of its own, so that a concurrent build of `dist/` removes no page. */
export async function buildDashboard(): Promise<Dashboard> {
  const built = builtDashboard()
  if (built !== null) return { root: built, remove: () => {} }
  const root = mkdtempSync(join(tmpdir(), 'agency-web-'))
  await build({
    configFile: fileURLToPath(new URL('../../web/vite.config.ts', import.meta.url)),
    logLevel: 'error',
    build: { outDir: root, emptyOutDir: true },
  })
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

export interface WireRun {
  id: string
  status: string
  simulated: boolean
}

/** Starts a run with two briefs in sequence; each waits for a file in its workspace before it works. */
export async function startGatedRun(daemon: TestDaemon, goal: string): Promise<{ run: WireRun; release: Release }> {
  const steps = (output: string) => [
    { say: 'I am a simulated agent.' },
    { log: `Waiting to write ${output}` },
    { run: 'until [ -e go ]; do sleep 0.02; done' },
    { write: { path: output, text: 'River finds the sea\n' } },
    { usage: { input_tokens: 1_200, output_tokens: 340 } },
    { report: { status: 'done', summary: `Wrote ${output}`, outputs: [output] } },
  ]
  const brief = (key: string, output: string, after: string[]) => ({
    key,
    title: `Write ${output}`,
    objective: `Write ${output}`,
    after,
    evidence: [
      { kind: 'file', path: output, contains: 'River' },
      { kind: 'command', run: `cat ${output}`, expect_output: 'sea' },
    ],
    runtime_options: { scenario: { steps: steps(output) } },
  })
  const run = await daemon.ask<WireRun>('POST', '/runs', {
    goal,
    runtime: 'scripted',
    briefs: [brief('poem', 'poem.txt', []), brief('page', 'page.txt', ['poem'])],
  })
  const { briefs } = await daemon.ask<{ briefs: { id: string; key: string }[] }>('GET', `/runs/${run.id}/inspect`)
  const release: Release = (key) => {
    const brief = briefs.find((each) => each.key === key)
    if (brief === undefined) throw new Error(`no brief ${key}`)
    const workspace = join(daemon.home, 'workspaces', run.id, brief.id)
    mkdirSync(workspace, { recursive: true })
    writeFileSync(join(workspace, 'go'), '')
  }
  return { run, release }
}

export type Release = (key: 'poem' | 'page') => void

/** Starts a run that ends without help: done at once, failed for lack of evidence, or blocked on a question. */
export const startRun = (daemon: TestDaemon, kind: 'done' | 'failed' | 'blocked', goal: string): Promise<WireRun> =>
  daemon.ask<WireRun>('POST', '/runs', {
    goal,
    runtime: 'scripted',
    retry_budget: 0,
    on_limit: 'fail',
    evidence: [{ kind: 'file', path: 'out.txt' }],
    runtime_options: {
      scenario: {
        steps: [
          { write: { path: kind === 'failed' ? 'elsewhere.txt' : 'out.txt', text: 'something\n' } },
          {
            report: { status: kind === 'blocked' ? 'blocked' : 'done', summary: 'Which of the two folders is meant?' },
          },
        ],
      },
    },
  })

/** Collects the page's errors and the browser's error messages. */
export function watchComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // A browser reports every status outside 2xx and every lost connection as an error; the tests provoke these.
    if (message.type() === 'error' && !/Failed to load resource|ERR_CONNECTION_REFUSED/.test(text))
      complaints.push(text)
  })
  return complaints
}

/** Signs a browser in, and waits until its page has redeemed the link. */
export async function signIn(page: Page, daemon: TestDaemon, path = '/'): Promise<void> {
  await page.goto(await daemon.link(path))
  await page.waitForURL((url) => url.pathname !== '/enter')
  await page.waitForFunction(() => sessionStorage.getItem('agency.page') !== null)
}

/** Opens a tab of the page of a run, then one of its views. */
export async function openView(page: Page, tab: string, view: string | RegExp): Promise<void> {
  await page.getByRole('tab', { name: tab, exact: true }).click()
  await page
    .getByRole('tablist', { name: `Views of ${tab}` })
    .getByRole('tab', { name: view })
    .click()
}

/** Both wait for the element's state and fail on a timeout. For other conditions use `expect.poll`. */
export const expectShown = (locator: Locator): Promise<void> => locator.waitFor()
export const expectGone = (locator: Locator): Promise<void> => locator.waitFor({ state: 'hidden' })

/** Waits until the page has loaded everything, with or without a skeleton. */
export const settled = (page: Page): Promise<unknown> =>
  page.waitForFunction(
    () =>
      document.querySelector('main:not([aria-busy=true]) h1') !== null &&
      document.querySelector('[data-state=loading]') === null,
  )
