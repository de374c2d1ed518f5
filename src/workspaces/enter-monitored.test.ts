import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'

import { createProgramRuntime } from '../adapters/runtime/program/runtime.ts'
import type { AgentEnded } from '../adapters/runtime/port.ts'
import { systemIds } from '../kernel/ids.ts'
import { createDirectoryWorkspaces } from './directory.ts'
import type { NoBox } from './enter.ts'
import { defaultPolicy, type PolicyOverrides } from './policy.ts'
import type { Workspace, WorkspaceRequest } from './port.ts'

const noBox: NoBox = {
  reason: 'bubblewrap is not installed',
  install: 'Run "apt install bubblewrap".',
}
let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'agency-watched-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
})

const prepare = (
  overrides: PolicyOverrides = {},
  isBoxRequired = false,
  box: WorkspaceRequest['box'] = true,
): Promise<Workspace> =>
  createDirectoryWorkspaces({ root, box: noBox, isBoxRequired }).prepare({
    id: 'brf_1',
    runId: 'run_1',
    box,
    policy: defaultPolicy('program', overrides),
  })

async function endOf(workspace: Workspace, script: string): Promise<AgentEnded> {
  const handle = await createProgramRuntime().launch({
    launchId: systemIds.next('attempt'),
    prompt: '',
    workspace,
    options: { command: ['/bin/sh', '-c', script] },
    environment: {},
    attempt: 1,
    kind: 'work',
  })
  for await (const event of handle.events) if (event.kind === 'ended') return event
  throw new Error('it did not end')
}

it('restores Agency’s own files that an agent changed, and reports them', async () => {
  const workspace = await prepare()
  await workspace.write('.agency/mission.json', 'ours')
  await workspace.write('.agency/agent.json', 'ours')
  const ended = await endOf(
    workspace,
    'chmod 700 .agency; echo forged > .agency/mission.json; rm .agency/agent.json; echo x > .agency/new; echo y > .agency/outbox/z',
  )
  expect(ended.used?.violations).toEqual(['.agency/agent.json', '.agency/mission.json', '.agency/new'])
  expect(ended.detail).toBe(
    'workspace_violation: .agency/agent.json, .agency/mission.json, .agency/new changed and restored',
  )
  expect(await workspace.read('.agency/mission.json', 100)).toMatchObject({ text: 'ours' })
  expect(await workspace.read('.agency/agent.json', 100)).toMatchObject({ text: 'ours' })
  expect(await workspace.read('.agency/new', 100)).toBeNull()
  expect(await readFile(join(workspace.path, '.agency/outbox/z'), 'utf8')).toBe('y\n')
})

it('restores Agency’s directory that an agent replaced by a link', async () => {
  const workspace = await prepare()
  await workspace.write('.agency/mission.json', 'ours')
  const ended = await endOf(workspace, 'rm -rf .agency; ln -s /tmp .agency')
  expect(ended.used?.violations).toContain('.agency/mission.json')
  expect(await readFile(join(workspace.path, '.agency/mission.json'), 'utf8')).toBe('ours')
})

it('reports no violation of an agent that changed only its own files', async () => {
  const workspace = await prepare()
  await workspace.write('.agency/mission.json', 'ours')
  const ended = await endOf(workspace, 'echo a > a; cat .agency/mission.json')
  expect(ended).toMatchObject({ exitCode: 0 })
  expect(ended.used?.violations).toBeUndefined()
  expect((await workspace.run('true', { timeoutMs: 10_000, maxOutputBytes: 10 })).boxed).toBe(false)
})

it('kills all processes of an agent that has too many, also those that left the group', async () => {
  const workspace = await prepare({ limits: { maxProcesses: 5 } })
  const ended = await endOf(workspace, 'for i in 1 2 3 4 5 6 7 8; do setsid sleep 60 & done; sleep 60')
  expect(ended.breach).toMatchObject({ limit: 'processes', allowed: 5 })
  expect(ended.detail).toMatch(/^limit_exceeded: processes \(\d+ of 5\)$/)
})

it('refuses requests that only a box can guarantee', async () => {
  await expect(prepare({ network: { allowed: false } })).rejects.toMatchObject({
    code: 'network_isolation_unavailable',
  })
  await expect(prepare({}, true)).rejects.toMatchObject({ code: 'box_unavailable' })
  await expect(prepare({}, true, 'if_required')).rejects.toMatchObject({ code: 'box_unavailable' })
})

it('starts nothing outside the box if a box is required', async () => {
  const place = await prepare({}, true, false)
  const limits = { timeoutMs: 10_000, maxOutputBytes: 1_000 }
  await expect(place.run('echo started', limits)).rejects.toMatchObject({ code: 'box_unavailable' })
  const free = await prepare({}, false, 'if_required')
  expect(await free.run('echo started', limits)).toMatchObject({ output: 'started\n', boxed: false })
})
