// @suite process

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'

import { isRunning } from '../../test/support/processes.ts'
import { makeLaunch } from '../adapters/runtime/contract-suite.ts'
import { killGroup } from './kill-group.ts'
import { findSurvivors, killSurvivors } from './survivors.ts'

it('finds and kills the processes that outlived a killed daemon, and no others', async () => {
  const [mine, other] = [await orphan(), await orphan()]
  expect(await pidsOf(mine.launchId)).toHaveLength(2)
  expect(await killSurvivors([mine.launchId, 'att_nobody'])).toBe(2)
  expect(await pidsOf(mine.launchId)).toEqual([])
  expect(isRunning(mine.pid)).toBe(false)
  expect(await pidsOf(other.launchId)).toHaveLength(2)
})

it('does not kill the group of a process that merely carries the launch id', async () => {
  // The leader is a shell without the id, so that the group is not the agent's.
  const launchId = `att_stray${process.pid}`
  const script = `AGENCY_LAUNCH_ID=${launchId} sleep 3600 & echo $!; exec sleep 3600`
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void killGroup(shell.pid))
  const [line] = (await once(shell.stdout, 'data')) as [Buffer]
  await vi.waitUntil(async () => (await pidsOf(launchId)).length === 1, { timeout: 15_000 })
  expect(await killSurvivors([launchId])).toBe(1)
  expect(isRunning(Number(line.toString()))).toBe(false)
  expect(isRunning(shell.pid ?? 0)).toBe(true)
})

it('finds nothing and reports it if the system lists no processes', async () => {
  const messages: string[] = []
  expect(await findSurvivors({ proc: '/no-such-place', say: (text) => messages.push(text) })).toEqual([])
  expect(messages).toEqual(['Agents that outlived the daemon cannot be found: /no-such-place does not exist.'])
})

const pidsOf = async (launchId: string): Promise<number[]> =>
  (await findSurvivors()).filter((survivor) => survivor.launchId === launchId).map(({ pid }) => pid)

/** Starts an agent with a child, both orphaned by the kill -9 of the process that launched the agent. */
async function orphan(): Promise<{ pid: number; launchId: string }> {
  const { launchId, workspace } = await makeLaunch()
  const [program, plain] = ['../adapters/runtime/program/runtime.ts', '../workspaces/enter-directly.ts'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const daemon = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { createProgramRuntime } = await import(${JSON.stringify(program)})
       const { enterDirectly } = await import(${JSON.stringify(plain)})
       const path = ${JSON.stringify(workspace.path)}
       const handle = await createProgramRuntime().launch({
         launchId: ${JSON.stringify(launchId)}, prompt: '', attempt: 1, environment: {},
         workspace: { path, home: path, enter: enterDirectly(path) },
         options: { command: ['/bin/sh', '-c', 'sleep 3600 & echo ready; wait'] },
       })
       for await (const event of handle.events) if (event.text === 'ready') console.log(handle.pid)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void killSurvivors([launchId]))
  const [line] = (await once(daemon.stdout, 'data')) as [Buffer]
  daemon.kill('SIGKILL')
  await once(daemon, 'exit')
  return { pid: Number(line.toString()), launchId }
}
