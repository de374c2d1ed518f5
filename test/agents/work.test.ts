import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

import { promptHas, turns } from '../support/model-server/script.ts'
import { hasEnded, install } from './installation.ts'
import { bash, report, reporting, write, writes } from './replies.ts'

it('edits files, runs a command, reports through its tools and is verified, all in a box', async () => {
  const { run, until, model, output } = await install([
    turns([
      {
        text: 'Let me look.',
        tools: [bash('id -u; cat /etc/shadow')],
        tokens: { input: 1_000, output: 50, cacheRead: 200 },
      },
      { tools: [write('poem.txt', 'one\ntwo\nthree\n')], tokens: { input: 10, output: 5 } },
      { tools: [reporting('Wrote it.', ['poem.txt'])], tokens: { input: 10, output: 5 } },
      { text: 'All done.', tokens: { input: 10, output: 5 } },
    ]),
  ])
  const evidence = [
    { kind: 'file', path: 'poem.txt', contains: 'three' },
    { kind: 'command', run: 'test "$(wc -l < poem.txt)" = 3' },
  ]
  const {
    run: ended,
    briefs,
    attempts,
    evidence: checks,
  } = await until(await run({ goal: 'Write a poem', evidence }), hasEnded)
  expect(ended).toMatchObject({ status: 'done', simulated: false, input_tokens: 1_230, output_tokens: 65 })
  expect(ended['cost_micros']).toBeGreaterThan(0)
  expect(briefs).toMatchObject([{ status: 'done', provider: 'anthropic', attempts: 1 }])
  expect(attempts).toMatchObject([{ outcome: 'ok', boxed: true, exit_code: 0, report: { summary: 'Wrote it.' } }])
  expect(checks).toMatchObject([{ passed: true }, { passed: true, boxed: true }])
  expect(await output(attempts[0]?.id ?? '')).toBe(
    'Let me look.\n[Bash] id -u; cat /etc/shadow\n[Write] poem.txt\n[mcp__agency__report] Wrote it.\nAll done.\n',
  )
  const [looked] = model.asked[1]?.toolResults ?? []
  expect(looked?.text).toContain('1000')
  expect(looked?.text).toMatch(/shadow: (No such file|Permission denied)/)
})

it('gets its brief and the tools of its attempt, and sends requests only to its model', async () => {
  const { run, until, model } = await install([turns(writes('a.txt', 'a'))])
  const id = await run({ goal: 'Write the letter a' })
  await until(id, hasEnded)
  expect(model.asked[0]?.prompt).toContain('Write the letter a')
  expect(model.asked[0]?.toolNames).toEqual(
    expect.arrayContaining(['Bash', 'Write', 'mcp__agency__report', 'mcp__agency__note_add']),
  )
  expect(model.asked[0]?.headers['x-api-key']).toBe('sk-ant-dummy-0000')
  expect(model.others).toEqual([])
})

it('takes the report from the final message if none came another way', async () => {
  const { run, until } = await install([
    turns([
      { tools: [write('a.txt', 'a')] },
      { text: 'Done.\n\n```json\n{"status":"done","summary":"Said it.","outputs":["a.txt"]}\n```' },
    ]),
  ])
  const { attempts, run: ended } = await until(await run({ goal: 'Write a' }), hasEnded)
  expect([ended.status, attempts[0]?.['detail']]).toEqual(['done', 'Said it.'])
})

it('retries an attempt that ended without a report, in a new session', async () => {
  const { run, until, model } = await install([
    { when: ({ prompt }) => prompt.includes('attempt 1.'), reply: { text: 'I am done, believe me.' } },
    turns(writes('a.txt', 'a')),
  ])
  const { attempts, run: ended } = await until(await run({ goal: 'Write a' }), hasEnded)
  expect(ended.status).toBe('done')
  expect(attempts.map(({ outcome }) => outcome).toSorted()).toEqual(['bad_output', 'ok'])
  // After bad output a new session starts, with the reason in its prompt.
  expect(new Set(attempts.map(({ session }) => session)).size).toBe(2)
  expect(model.asked.find(({ prompt }) => prompt.includes('attempt 2.'))?.prompt).toContain('ended without a report')
})

it('works on two briefs at once, each in its own workspace', async () => {
  const slowly = { firstByteMs: 1_500 }
  const { run, until, model, daemon } = await install(
    ['red', 'blue'].map((colour) =>
      turns(
        [{ ...slowly, tools: [write(`${colour}.txt`, colour)] }, report(colour, [`${colour}.txt`])],
        promptHas(`Paint ${colour}`),
      ),
    ),
  )
  const briefs = ['red', 'blue'].map((key) => ({
    key,
    objective: `Paint ${key}`,
    evidence: [{ kind: 'file', path: `${key}.txt`, contains: key }],
  }))
  const id = await run({ goal: 'Paint', briefs })
  const ended = await until(id, hasEnded)
  expect(ended.run.status).toBe('done')
  const [one, other] = ended.attempts.map((each) => [String(each['started_at']), String(each['ended_at'])] as const)
  expect((one?.[0] ?? '') < (other?.[1] ?? '') && (other?.[0] ?? '') < (one?.[1] ?? '')).toBe(true)
  expect(new Set(ended.attempts.map(({ session }) => session)).size).toBe(2)
  expect(ended.run['input_tokens']).toBe(model.asked.length * 100)
  for (const { id: brief, key } of ended.briefs)
    expect(readFileSync(join(daemon.home, 'workspaces', id, brief, `${key}.txt`), 'utf8')).toBe(key)
})
