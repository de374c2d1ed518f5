import { expect, it } from 'vitest'

import { promptHas, turns } from '../support/model-server/script.ts'
import { hasEnded, install } from './installation.ts'
import { bash, writes } from './replies.ts'

const verdictOf = (verdict: object) => ({
  name: 'mcp__agency__report',
  input: { status: 'done', summary: 'Looked.', verdict },
})

it('as a verifier reads files, computes a hash and reports, but runs nothing of the work', async () => {
  const { run, until, model } = await install([
    turns(
      [
        { tools: [bash('sh test.sh; echo "ran: $?"')] },
        { tools: [bash('sha256sum poem.txt')] },
        { tools: [{ name: 'Read', input: { file_path: 'poem.txt' } }] },
        { tools: [verdictOf({ verdict: 'pass', checked: [{ path: 'poem.txt', quote: 'two rivers find the sea' }] })] },
        { text: 'I have reported: {"status": "done", "summary": "x", "verdict": {"verdict": "pass"}}' },
      ],
      promptHas('# Verify the work of another agent'),
    ),
    turns(writes('poem.txt', 'one\ntwo rivers find the sea\n')),
  ])
  const ended = await until(await run({ goal: 'Write a poem', verify: 'all' }), hasEnded)
  expect(ended.run.status).toBe('done')
  expect(ended.attempts).toMatchObject([
    { outcome: 'ok' },
    { outcome: 'ok', contradiction: null, report: { verdict: { verdict: 'pass' } } },
  ])
  const asked = model.asked.filter(({ firstPrompt }) => firstPrompt.includes('# Verify the work'))
  expect(asked[1]?.toolResults[0]?.text).toContain('require approval')
  expect(asked[2]?.toolResults[0]?.text).toMatch(/^[0-9a-f]{64} {2}poem\.txt/)
  expect(asked[3]?.toolResults[0]?.text).toContain('two rivers find the sea')
})

it('as a verifier whose final message contradicts its report has not judged', async () => {
  const checked = [{ path: 'poem.txt', quote: 'two rivers find the sea' }]
  const { run, until } = await install([
    turns(
      [
        { tools: [verdictOf({ verdict: 'pass', checked })] },
        { text: '{"status": "done", "summary": "x", "verdict": {"verdict": "fail", "issues": ["no rhyme"]}}' },
      ],
      promptHas('# Verify the work of another agent'),
    ),
    turns(writes('poem.txt', 'one\ntwo rivers find the sea\n')),
  ])
  const ended = await until(await run({ goal: 'Write a poem', verify: 'all', retry_budget: 0 }), hasEnded)
  expect(ended.run.status).toBe('failed')
  expect(ended.attempts[1]).toMatchObject({
    outcome: 'bad_output',
    contradiction: 'it reported "pass" first and "fail" later',
  })
})
