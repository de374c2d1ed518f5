import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'

import { overloaded, rateLimited, turns, unauthorised } from '../support/model-server/script.ts'
import { hasEnded, install } from './installation.ts'
import { writes } from './replies.ts'

const good = turns(writes('a.txt', 'a'))

it('waits while the provider limits calls, without counting a failure, and then resumes', async () => {
  const { run, until, model } = await install([{ times: 2, reply: rateLimited(2) }, good])
  const ended = await until(await run({ goal: 'Write a', crash_retries: 0, retry_budget: 0 }), hasEnded)
  expect(ended.run.status).toBe('done')
  expect(ended.attempts.map(({ outcome }) => outcome).toSorted()).toEqual(['interrupted', 'ok'])
  expect(ended.briefs).toMatchObject([{ crash_retries: 0, retries_used: 0, interruptions: 0 }])
  expect(JSON.stringify(ended.events)).toContain('was interrupted (provider_limited)')
  expect(model.asked.length).toBeGreaterThanOrEqual(4)
})

it('succeeds with a slow model', async () => {
  const [first, second] = writes('a.txt', 'a')
  const slow = turns([
    { ...(first as object), firstByteMs: 2_000 },
    { ...(second as object), paceMs: 100 },
  ])
  const { run, until } = await install([slow])
  const ended = await until(await run({ goal: 'Write a' }), hasEnded)
  expect(ended.attempts).toMatchObject([{ outcome: 'ok' }])
})

it('retries a call whose answer is cut off', async () => {
  const { run, until, output } = await install([
    { times: 1, reply: { text: 'A long text that breaks off', cutAfter: 3 } },
    good,
  ])
  const ended = await until(await run({ goal: 'Write a' }), hasEnded)
  expect(ended.attempts).toMatchObject([{ outcome: 'ok' }])
  expect(await output(ended.attempts[0]?.id ?? '')).toContain('a model call failed; retrying in 1 s (1 of 1)')
})

it('retries an attempt that could not reach the model, and records the reason', async () => {
  const { run, until, model } = await install([good])
  await model.stop()
  const id = await run({ goal: 'Write a', runtime_options: { max_retries: 0 } })
  const failed = await until(id, ({ attempts }) => attempts[0]?.status === 'ended')
  expect(failed.attempts[0]?.outcome).toBe('crash')
  expect(failed.attempts[0]?.['detail']).toMatch(
    /exit code 1: API Error: 502 agency: 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/,
  )
  await model.start()
  expect((await until(id, hasEnded)).run.status).toBe('done')
})

it('records that the API key is invalid', async () => {
  const { run, until } = await install([{ reply: unauthorised }])
  const ended = await until(
    await run({ goal: 'Write a', crash_retries: 0, runtime_options: { max_retries: 0 } }),
    hasEnded,
  )
  expect(ended.run.status).toBe('failed')
  expect(ended.attempts[0]?.['detail']).toMatch(/Invalid API key/)
})

it('waits while the provider is overloaded', async () => {
  const { run, until } = await install([{ reply: overloaded }])
  const id = await run({ goal: 'Write a', runtime_options: { max_retries: 0 } })
  const { attempts } = await until(id, ({ attempts: each }) => each[0]?.status === 'ended')
  expect(attempts[0]).toMatchObject({ outcome: 'interrupted' })
})

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address

it.skipIf(elsewhere === undefined)(
  'reaches a model on another address through its door, with the key and without any other network',
  async () => {
    const { run, until, model } = await install([good], 'network:\n  allowed: false\n', elsewhere)
    const ended = await until(await run({ goal: 'Write a' }), hasEnded)
    expect(ended.attempts).toMatchObject([{ outcome: 'ok', boxed: true }])
    expect(model.url).toContain(String(elsewhere))
    expect(model.asked.map(({ headers }) => headers['x-api-key'])).toContain('sk-ant-dummy-0000')
  },
)
