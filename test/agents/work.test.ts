import { expect, it } from 'vitest'

import { turns } from '../support/model-server/script.ts'
import { hasEnded, install } from './installation.ts'

it('edits files, runs a command, reports through its tools, and is verified', async () => {
  const { run, until, model, output } = await install([
    turns([
      { text: 'Let me look.', tools: [{ name: 'Bash', input: { command: 'pwd; id -u' } }], tokens: { input: 1_000, output: 50, cacheRead: 200 } },
      { tools: [{ name: 'Write', input: { file_path: 'poem.txt', content: 'one\ntwo\nthree\n' } }] },
      { tools: [{ name: 'mcp__agency__report', input: { status: 'done', summary: 'Wrote it.', outputs: ['poem.txt'] } }] },
      { text: 'All done.' },
    ]),
  ])
  const id = await run({ goal: 'Write a poem', evidence: [{ kind: 'file', path: 'poem.txt', contains: 'three' }] })
  const shown = await until(id, hasEnded)
  console.log(JSON.stringify(shown, null, 1).slice(0, 6000))
  console.log(await output(shown.attempts[0].id))
  console.log(JSON.stringify(model.asked.map(a => [a.step, a.prompt.slice(0,50), a.toolResults])))
  expect(shown.run.status).toBe('done')
})
