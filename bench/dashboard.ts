import { gzipSync } from 'node:zlib'

import type { Browser, Page, Request } from 'playwright-core'

import { pause } from '../src/kernel/clock.ts'
import { noBrowser, openBrowser } from '../test/support/browser.ts'
import { createTestDaemon, type TestDaemon } from '../test/support/daemon.ts'
import { buildDashboard, signIn, type WireRun } from '../test/support/dashboard.ts'
import { atMost, type Benchmark, type BenchOptions, type Figure, median, skipped, withoutTarget } from './figures.ts'

const names = {
  time: 'dashboard: time to the first view of a run, 500 briefs against 5',
  bytes: 'dashboard: bytes from the API before the first view, 500 briefs against 5',
  frames: 'dashboard: frames dropped while a log scrolls, 100,000 lines against 1,000',
  load: 'dashboard: first load, JavaScript and style sheets with gzip',
}

/** Growth of the run page with the number of briefs and log lines, and the size of its first load. */
export const dashboard: Benchmark = {
  name: 'dashboard',
  async run(options): Promise<Figure[]> {
    if (noBrowser !== null)
      return [
        skipped(names.time, '×', '≤ 2', noBrowser),
        skipped(names.bytes, '×', '≤ 2', noBrowser),
        skipped(names.frames, '×', '≤ 1.2', noBrowser),
        skipped(names.load, 'KB', '≤ 250', noBrowser),
      ]
    const built = await buildDashboard()
    const daemon = await createTestDaemon(built.root)
    await daemon.start()
    const browser = await openBrowser()
    try {
      const small = await playRun(daemon, 5)
      const large = await playRun(daemon, options.quick ? 100 : 500)
      return [
        ...(await firstViews(browser, daemon, small, large, options)),
        ...(await droppedFrames(browser, daemon, small, options)),
      ]
    } finally {
      await browser.close()
      await daemon.remove()
      built.remove()
    }
  },
}

/** Plays a run of so many briefs, each of which leaves about twenty events. */
async function playRun(daemon: TestDaemon, count: number): Promise<WireRun> {
  const steps = [
    ...Array.from({ length: 10 }, (_, index) => ({ log: `step ${index + 1}` })),
    { write: { path: 'out.txt', text: 'done\n' } },
    { report: { status: 'done', summary: 'Wrote it', outputs: ['out.txt'] } },
  ]
  const run = await daemon.ask<WireRun>('POST', '/runs', {
    goal: `Migrate ${count} modules`,
    runtime: 'scripted',
    briefs: Array.from({ length: count }, (_, index) => ({
      key: `module-${index + 1}`,
      title: `Migrate module ${index + 1} to the new interface`,
      objective: 'Use the new interface',
      evidence: [{ kind: 'file', path: 'out.txt' }],
      runtime_options: { scenario: { steps } },
    })),
  })
  while ((await daemon.ask<{ ended_at: string | null }>('GET', `/runs/${run.id}`)).ended_at === null) await pause(500)
  return run
}

interface FirstView {
  ms: number
  bytes: number
  wholeMs: number
  wholeBytes: number
  loadKb: number
}

async function firstViews(
  browser: Browser,
  daemon: TestDaemon,
  small: WireRun,
  large: WireRun,
  { quick, log }: BenchOptions,
): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await signIn(page, daemon)
  const seen = { small: [] as FirstView[], large: [] as FirstView[] }
  await firstView(page, daemon, small)
  for (let round = 0; round < (quick ? 3 : 9); round += 1) {
    seen.small.push(await firstView(page, daemon, small))
    seen.large.push(await firstView(page, daemon, large))
  }
  await page.close()
  const of = (size: keyof typeof seen, key: keyof FirstView): number => median(seen[size].map((each) => each[key]))
  for (const key of ['ms', 'bytes', 'wholeMs', 'wholeBytes'] as const)
    log(`${key}: ${of('small', key).toFixed(0)} with 5 briefs, ${of('large', key).toFixed(0)} with many`)
  return [
    atMost(names.time, of('large', 'ms') / of('small', 'ms'), 2, '×'),
    atMost(names.bytes, of('large', 'bytes') / of('small', 'bytes'), 2, '×'),
    withoutTarget(
      'dashboard: the same until the tree has its briefs',
      of('large', 'wholeMs') / of('small', 'wholeMs'),
      '×',
      `${(of('large', 'wholeBytes') / 1_000).toFixed(0)} KB`,
    ),
    atMost(names.load, of('small', 'loadKb'), 250, 'KB'),
  ]
}

/** Opens a run in an empty page, until its overview is shown and then until its tree has briefs. */
async function firstView(page: Page, daemon: TestDaemon, run: WireRun): Promise<FirstView> {
  await page.goto('about:blank')
  const finished: { at: number; request: Request }[] = []
  // The stream of events never finishes.
  const onFinished = (request: Request): unknown => finished.push({ at: performance.now(), request })
  page.on('requestfinished', onFinished)
  const began = performance.now()
  await page.goto(`${daemon.dashboard}/runs/${run.id}`, { waitUntil: 'commit' })
  // The overview of an ended run is its result.
  await page.waitForFunction(() => {
    const overview = document.querySelector('.overview')
    return overview !== null && overview.querySelector('[data-state=loading]') === null
  })
  const first = performance.now()
  await page
    .getByRole('treeitem', { name: /Migrate module|Briefs 1 to/ })
    .first()
    .waitFor()
  const whole = performance.now()
  page.off('requestfinished', onFinished)
  const answers = await Promise.all(
    finished.map(async ({ at, request }) => ({
      at,
      path: new URL(request.url()).pathname,
      body: (await (await request.response())?.body()) ?? Buffer.alloc(0),
    })),
  )
  const bytesUntil = (end: number): number =>
    answers
      .filter(({ at, path }) => at <= end && path.startsWith('/api/'))
      .reduce((sum, { body }) => sum + body.length, 0)
  const code = answers.filter(({ path }) => /\.(js|css)$/.test(path))
  return {
    ms: first - began,
    bytes: bytesUntil(first),
    wholeMs: whole - began,
    wholeBytes: bytesUntil(whole),
    loadKb: code.reduce((sum, { body }) => sum + gzipSync(body).length, 0) / 1_000,
  }
}

/** Scrolls logs of two lengths in turns. The lines are made up here: the daemon would need hours for them. */
async function droppedFrames(
  browser: Browser,
  daemon: TestDaemon,
  run: WireRun,
  { quick, log }: BenchOptions,
): Promise<Figure[]> {
  const pages = await Promise.all([1_000, 100_000].map((lines) => openLog(browser, daemon, run, lines)))
  const dropped: number[][] = [[], []]
  for (let round = 0; round < (quick ? 2 : 6); round += 1)
    for (const [index, page] of pages.entries()) {
      await page.bringToFront()
      dropped[index]?.push(await scroll(page, quick ? 1_500 : 3_000))
    }
  for (const page of pages) await page.close()
  const [few = Number.NaN, many = Number.NaN] = dropped.map((each) => median(each))
  log(`dropped frames: ${few} of 1,000 lines, ${many} of 100,000 lines`)
  // One frame is added to both, because a quiet machine drops none.
  return [atMost(names.frames, (many + 1) / (few + 1), 1.2, '×', `${few} and ${many} frames`)]
}

async function openLog(browser: Browser, daemon: TestDaemon, run: WireRun, count: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.route(/\/api\/runs\/[^/]+\/events/, (route) => {
    const query = new URL(route.request().url()).searchParams
    const limit = Number(query.get('limit') ?? 200)
    const after = query.get('after') === null ? Math.max(0, count - limit) : Number(query.get('after'))
    const events = Array.from({ length: Math.max(0, Math.min(limit, count - after)) }, (_, index) =>
      eventOf(run.id, after + index + 1),
    )
    return route.fulfill({ json: { events } })
  })
  await signIn(page, daemon)
  await page.goto(`${daemon.dashboard}/runs/${run.id}?view=log`)
  await page.getByText(`${count.toLocaleString('en')} lines`).waitFor()
  return page
}

const eventOf = (runId: string, seq: number) => ({
  position: seq,
  stream: `run:${runId}`,
  seq,
  at: new Date(1_900_000_000_000 + seq * 10).toISOString(),
  kind: 'log',
  by: 'agent:1',
  run_id: runId,
  brief_id: null,
  attempt_id: null,
  tier: null,
  workstream: null,
  level: 'normal',
  code: null,
  message: `line ${seq} of a long log with some words in it`,
  data: {},
})

/** Scrolls up and down for a while, and returns the number of frames that 60 a second would have had beyond those drawn. */
const scroll = (page: Page, ms: number): Promise<number> =>
  page.getByRole('log').evaluate(
    (element, length) =>
      new Promise<number>((resolve) => {
        let begin = 0
        let frames = -20
        const step = (now: number): void => {
          frames += 1
          if (frames === 0) begin = now
          if (frames > 0 && now - begin >= length)
            return resolve(Math.max(0, Math.round(((now - begin) * 60) / 1_000) - frames))
          // Both logs are scrolled over the same distance: the shorter one is 22,000 pixels high.
          element.scrollTop = 10_000 + 9_000 * Math.sin(now / 400)
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
    ms,
  )
