// @suite process

import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../test/support/agency.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { contentOf } from './content.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'

const writes = (path: string, text: string, summary = `wrote ${path}`): StepInput[] => [
  { write: { path, text } },
  { report: { summary, outputs: [path] } },
]

async function opened(): Promise<TestAgency> {
  const agency = await openAgency()
  await agency.engine.start()
  return agency
}

const evil = `<script>alert('x')</script> [link](http://evil) \u202ereversed & "quoted"`
const secret = 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1234'

it('has result, files, proofs, gaps, decisions and timeline, and no character of an agent works as markup', async () => {
  const agency = await opened()
  const run = await agency.run({
    goal: `Write ${evil}`,
    acceptance: 'operator',
    evidence: [{ kind: 'file', path: 'a<b>.md' }],
    play: [writes('a<b>.md', `# Title\n${evil}\nkey ${secret}\n`, `Wrote it: ${evil}`)],
  })
  await agency.until(async () => (await agency.runs.show(run.id)).gatesPending > 0)
  await agency.gates.approve(operator, { target: run.id, note: `fine ${evil}` })
  await agency.settled(run)
  const html = await agency.reports.make(run.id, 'html')
  expect(html.fileName).toBe(`${run.id}.html`)
  expect(html.text).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
  )
  for (const title of ['Result', 'Files', 'Proofs', 'Not proven', 'Decisions', 'Briefs', 'Timeline'])
    expect(html.text).toContain(`<h2>${title}</h2>`)
  for (const part of [
    'Wrote it: &lt;script&gt;',
    'a&lt;b&gt;.md',
    'simulated',
    '# Title',
    'acceptance',
    'by operator'.slice(3),
  ])
    expect(html.text).toContain(part)
  expect(html.text).not.toContain('\u202e')
  expect(html.text).not.toMatch(/<(script|a|img|link|iframe)\b| (on\w+|href|src|style)=/)
  const { text } = await agency.reports.make(run.id, 'markdown')
  expect(text).toContain('## Result')
  expect(text).toContain('\\<script\\>')
  expect(text).toContain('\\[link\\](http\\://evil)')
  expect(text.replace(/^```[\s\S]*?^```/gm, '')).not.toMatch(/(?<!\\)\]\(http|(?<!\\)</)
  for (const report of [html.text, text]) expect(report).not.toContain(secret)
})

it('of a failed run without files says why it failed and how much is finished', async () => {
  const agency = await opened()
  const run = await agency.settled(
    await agency.run({
      onLimit: 'fail',
      retryBudget: 0,
      evidence: [{ kind: 'file', path: 'never.md' }],
      play: [[{ report: { summary: 'I am done.' } }]],
    }),
  )
  const { text } = await agency.reports.make(run.id, 'markdown')
  expect(text).toMatch(/1 brief failed: main: /)
  expect(text).toContain('0 of 1 brief finished; 1 failed')
  expect(text).toContain('No file was reported')
  expect(text).toContain('I am done')
})

it('is bounded for a run of 10,000 briefs, shows failed ones first and says how many it left out', async () => {
  const agency = await opened()
  const run = await agency.run({ play: [writes('a.md', 'a')] })
  await agency.settled(run)
  const result = await agency.runResults.show(run.id, { offset: 0, limit: 1 })
  const [claim] = result.claims
  const long = 'word '.repeat(4_000)
  const claims = Array.from({ length: 200 }, (_, index) => ({
    ...(claim as NonNullable<typeof claim>),
    key: `b${index}`,
    summary: long,
    checks: (claim?.checks ?? []).flatMap((check) =>
      Array.from({ length: 30 }, () => ({ ...check, output: `${long}\n`.repeat(50) })),
    ),
  }))
  const content = contentOf({
    result: { ...result, claims, total: 10_000, next: 200, filesTotal: 10_000 },
    beginnings: [],
    timeline: { events: [], hasGap: true },
    madeAt: '2026-01-01T00:00:00.000Z',
  })
  for (const text of [htmlOf(content), markdownOf(content)]) {
    expect(text.length).toBeLessThan(2_500_000)
    expect(text).toMatch(/Left out because of the size of the run: 9,\d{3} of 10000 briefs/)
    expect(text).toContain('events between the first and the last of the timeline')
  }
})
