import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import { createTestCli, type TestCli } from '../support/cli.ts'

let cli: TestCli
beforeEach(() => {
  cli = createTestCli()
})
afterEach(() => cli.remove())

const start = async (...words: string[]): Promise<string> =>
  (await cli.text('run', 'Write it', '--runtime', 'scripted', ...words)).trim()
const pendingFile = (): { gates: { run_id: string; gate: string }[] } =>
  JSON.parse(readFileSync(join(cli.home, 'workspace', 'pending_gates.json'), 'utf8')) as never

/** Waits for a pending gate or question; returns its id. */
async function waiting<Noun extends 'gates' | 'questions'>(noun: Noun, skip = ''): Promise<string> {
  for (;;) {
    const found = await cli.json<Record<Noun, { id: string }[]>>(noun, '--json')
    const first = found[noun].find(({ id }) => id !== skip)
    if (first !== undefined) return first.id
    await pause(50)
  }
}

it('the command line approves a run from gate to gate', async () => {
  const run = await start('--plan-gate', '--acceptance', 'operator')
  const watching = cli.start(['watch', run])
  const plan = await waiting('gates')
  expect(await cli.text('gates')).toMatch(new RegExp(`^${plan} +plan +⏸ pending +${run}`, 'm'))
  await expect.poll(() => pendingFile().gates).toMatchObject([{ run_id: run, gate: 'plan' }])
  const shown = await cli.text('inspect', run, '--gates')
  for (const part of ['Produced', 'Next', 'Anomalies', 'Amendments'])
    expect(shown).toMatch(new RegExp(`^  ${part}  `, 'm'))
  expect(await cli.text('inspect', run)).toContain(`held: gate:${plan}`)
  expect(await cli.run('reject', run)).toMatchObject({ code: 2, out: '' })
  expect(await cli.run('resume', run)).toMatchObject({ code: 1, out: '' })
  expect(await cli.text('approve', run, '--note', 'Go')).toBe('✓ Approved — 1 brief starts now.\n')
  const result = await waiting('gates', plan)
  expect(await cli.text('reject', run, '--reason', 'Shorter')).toBe(
    '✗ Rejected — 1 brief is done again with your reason.\n',
  )
  await waiting('gates', result)
  expect(await cli.text('inspect', run, '--brief', 'main')).toMatch(
    /^limits +attempts 2, .*retries_used 0\/[^]*rejected Shorter/m,
  )
  expect(await cli.text('reply', 'approve')).toBe('✓ Accepted — the run is done.\n')
  const watched = await watching.ended
  expect(watched.code).toBe(0)
  for (const line of ['GATE  APPROVAL      ⏸', 'GATE  APPROVED      ✓', 'GATE  REJECTED      ✗ Rejected: Shorter'])
    expect(watched.out).toContain(line)
  expect(await cli.run('approve', run)).toMatchObject({
    code: 3,
    err: 'error: no pending gate; pending: none\n  Its last gate, acceptance, is approved by operator.\n',
  })
  expect(await cli.run('approve', plan)).toMatchObject({
    code: 1,
    err: expect.stringContaining('by operator') as never,
  })
  expect(await cli.run('reply', 'approve')).toMatchObject({ code: 1, out: 'No gate waits for a decision.\n' })
})

it('the command line answers a question, and the run continues', async () => {
  const scenario = join(cli.home, 'asks.yaml')
  const question = { text: 'Which colour?', options: [{ key: 'blue', label: 'Blue', detail: '' }] }
  writeFileSync(
    scenario,
    JSON.stringify({
      attempts: [
        [{ report: { status: 'blocked', summary: 'Which?', question } }],
        [{ write: { path: 'a.md', text: 'x' } }, { report: { outputs: ['a.md'] } }],
      ],
    }),
  )
  const run = await start('--scenario', scenario, '--on-limit', 'ask')
  const id = await waiting('questions')
  const card = await cli.text('questions', '--run', run)
  expect(card).toContain('Which colour?')
  expect(card).toContain('- blue  Blue')
  expect(await cli.text('question', 'ack', id)).toContain('still pending')
  expect(await cli.text('inspect', run, '--escalations')).toMatch(/1 {2}brief:main → .*\n/)
  expect(await cli.text('answer', id, 'blue')).toBe(`${id} answered: Blue\n`)
  expect(await cli.run('answer', id, 'blue')).toMatchObject({ code: 1 })
  expect(await cli.run('answer', 'qst_nope', 'blue')).toMatchObject({ code: 3 })
  const watched = await cli.run('watch', run)
  expect(watched.code).toBe(0)
  expect(watched.out).toMatch(/RUN {3}QUESTION {6}\? Which colour\?/)
  expect(await cli.text('questions')).toBe('no question is pending\n')
})

it('a paused run waits for its resume, also across a restart of the daemon', async () => {
  const run = await start('--plan-gate')
  expect(await cli.text('pause', run, '--reason', 'Lunch')).toContain(`${run} paused`)
  await cli.text('down')
  await cli.text('up')
  expect(await cli.text('inspect', run)).toContain('paused   Lunch')
  await expect.poll(() => pendingFile().gates.map(({ gate }) => gate)).toEqual(['plan', 'manual'])
  expect(await cli.text('approve', run)).toContain('the run is paused')
  expect((await cli.run('resume', run)).code).toBe(0)
  expect((await cli.run('watch', run)).code).toBe(0)
})

it('the status names the command that resumes a stopped organisation', async () => {
  await cli.text('stop', '--org', 'Development')
  const [command = ''] = /agency resume --org [^\s"]+(?=" lifts it)/.exec(await cli.text('status')) ?? []
  expect(await cli.text(...command.split(' ').slice(1))).toMatch(/^org:\d+ resumed/)
  expect(await cli.text('status')).not.toContain('stopped')
})
