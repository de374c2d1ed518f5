import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'

import { turns } from '../support/model-server/script.ts'
import { isRunning } from '../support/processes.ts'
import { hasEnded, install, type Installation, type Shown } from './installation.ts'
import { bash, report, write } from './replies.ts'

/** Does the first half of the work, then the model never answers. */
const half = turns([{ text: 'I begin.', tools: [write('one.txt', 'one\n')] }, 'hang'])
const rest = turns([{ tools: [bash('cat one.txt > two.txt')] }, report('Both.', ['one.txt', 'two.txt'])])

const evidence = [{ kind: 'file', path: 'two.txt', contains: 'one' }]

async function waiting({ run, until, model, daemon }: Installation): Promise<{ id: string; shown: Shown }> {
  const id = await run({ goal: 'Write two files', evidence })
  await vi.waitUntil(() => model.asked.some(({ step }) => step === 1), { timeout: 60_000 })
  const shown = await until(id, ({ attempts }) => attempts[0]?.status === 'running')
  // Claude Code writes its session to disk a little later than it prints the text.
  await vi.waitUntil(() => sessionsOf(daemon.home).includes('I begin.'), { timeout: 60_000 })
  return { id, shown }
}

const sessionsOf = (home: string): string =>
  readdirSync(join(home, 'workspaces'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.jsonl') && path.includes('.home'))
    .map((path) => readFileSync(join(home, 'workspaces', path), 'utf8'))
    .join('\n')

const pidOf = ({ attempts }: Shown): number => attempts[0]?.pid ?? 0

it('resumes its session after the daemon was killed', async () => {
  const installed = await install([half])
  const { daemon, model, until } = installed
  const { id, shown } = await waiting(installed)
  await daemon.kill()
  model.play([rest])
  await daemon.start()
  const ended = await until(id, hasEnded)
  expect(isRunning(pidOf(shown))).toBe(false)
  expect(ended.run.status).toBe('done')
  expect(outcomes(ended)).toEqual(['interrupted', 'ok'])
  expect(new Set(ended.attempts.map(({ session }) => session)).size).toBe(1)
  // The resumed session contains the earlier work.
  expect(JSON.stringify(model.asked.at(-1)?.body)).toContain('I begin.')
})

it('resumes its session after Claude Code was killed', async () => {
  const installed = await install([half])
  const { model, until } = installed
  const { id, shown } = await waiting(installed)
  model.play([rest])
  process.kill(pidOf(shown), 'SIGKILL')
  const ended = await until(id, hasEnded)
  expect(ended.run.status).toBe('done')
  expect(outcomes(ended)).toEqual(['crash', 'ok'])
  expect(new Set(ended.attempts.map(({ session }) => session)).size).toBe(1)
})

it('resumes its session after the daemon was stopped, without charging calls twice', async () => {
  const installed = await install([half])
  const { daemon, model, until } = installed
  const { id } = await waiting(installed)
  await daemon.stop()
  model.play([rest])
  await daemon.start()
  const ended = await until(id, hasEnded)
  expect(outcomes(ended)).toEqual(['interrupted', 'ok'])
  // One call of the first attempt and three of the second ended; the call that hung cost nothing.
  expect(ended.run['input_tokens']).toBe(4 * 100)
})

it('ends Claude Code when its run is cancelled', async () => {
  const installed = await install([half])
  const { daemon, until } = installed
  const { id, shown } = await waiting(installed)
  await daemon.ask('POST', `/runs/${id}/cancel`, {})
  expect((await until(id, hasEnded)).run.status).toBe('cancelled')
  await vi.waitUntil(() => !isRunning(pidOf(shown)), { timeout: 10_000 })
})

it('ends an attempt with a timeout when the model is silent for too long', async () => {
  const { run, until } = await install([{ reply: 'hang' }])
  const id = await run({ goal: 'Wait', idle_minutes: 0.05, crash_retries: 0 })
  const { attempts } = await until(id, ({ attempts: each }) => each[0]?.status === 'ended')
  expect(attempts).toMatchObject([{ outcome: 'timeout' }])
})

const outcomes = ({ attempts }: Shown): (string | null)[] =>
  attempts.toSorted((one, other) => Number(one['fence']) - Number(other['fence'])).map(({ outcome }) => outcome)
