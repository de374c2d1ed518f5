import { expect, it } from 'vitest'

import { turns } from '../support/model-server/script.ts'
import { install, type Installation } from './installation.ts'
import { bash, write } from './replies.ts'

type Answer = Readonly<Record<string, unknown>> & { readonly run_id: string; readonly status: string }

async function aWorkspace({ daemon }: Installation): Promise<string> {
  const { id } = await daemon.ask<{ id: string }>('POST', '/missions', { title: 'A web app' })
  await daemon.ask('POST', `/missions/${id}/workspace`, { path: 'coding/webapp/app1' })
  return id
}

async function step(installed: Installation, mission: string, verb: 'exec' | 'review', input: object): Promise<Answer> {
  const { daemon } = installed
  const asked = { runtime: 'claude', runtime_options: { max_retries: 1 }, ...input }
  let answer = await daemon.ask<Answer>('POST', `/missions/${mission}/workspace/${verb}`, asked)
  while (answer.status === 'queued' || answer.status === 'running')
    answer = await daemon.ask<Answer>('GET', `/executions/${answer.run_id}?wait_seconds=20`)
  return answer
}

it('executes a prompt in a mission’s workspace, and records the changed files and the command line', async () => {
  const installed = await install([
    turns([
      {
        tools: [write('readme.md', '# App\n'), bash('mkdir -p src && echo 1 > src/a.js')],
        tokens: { input: 100, output: 10 },
      },
      { text: 'Both are there.', tokens: { input: 10, output: 5 } },
    ]),
  ])
  const mission = await aWorkspace(installed)
  const answer = await step(installed, mission, 'exec', {
    prompt: 'Begin the app',
    model: 'claude-sonnet-4-5-20250929',
  })
  expect(answer).toMatchObject({
    status: 'done',
    mode: 'yolo',
    exit_code: 0,
    files_created: ['readme.md', 'src/a.js'],
    files_modified: [],
    tokens_used: 125,
    budget_exceeded: false,
  })
  expect(answer['cost']).toBeGreaterThan(0)
  expect(answer['stdout']).toContain('Both are there.')
  const { events } = await installed.show(answer.run_id)
  const kinds = events as { kind: string; data: { argv: string[]; peak_memory_mb: number } }[]
  const argv = kinds.find(({ kind }) => kind === 'exec_started')?.data.argv.join(' ')
  expect(argv).toContain('--print --output-format stream-json')
  expect(argv).toContain('--max-turns 50 --model claude-sonnet-4-5-20250929 --allowedTools ')
  expect(argv).toContain('--dangerously-skip-permissions')
  expect(kinds.find(({ kind }) => kind === 'exec_finished')?.data.peak_memory_mb).toBeGreaterThan(10)
})

it('reviews without changing anything', async () => {
  const findings = [{ severity: 'high', file: 'a.js', line: 1, suggestion: 'Escape it.' }]
  const reported = { status: 'done', summary: 'Looked.', outputs: [], findings }
  const installed = await install([
    turns([
      { tools: [write('a.js', 'x')] },
      { tools: [{ name: 'mcp__agency__report', input: reported }] },
      { text: 'That was all.' },
    ]),
  ])
  const mission = await aWorkspace(installed)
  const answer = await step(installed, mission, 'review', { focus: 'security' })
  expect(answer).toMatchObject({ status: 'done', kind: 'review', mode: 'plan_only', findings, files_created: [] })
  expect(installed.model.asked[0]?.prompt).toContain('Look above all for this: security')
})
