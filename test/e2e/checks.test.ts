import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import { createTestCli, type TestCli } from '../support/cli.ts'

let cli: TestCli
/** A unique number of seconds, which identifies the processes of this test. */
let seconds: string
let counter = 0

beforeEach(() => {
  cli = createTestCli()
  seconds = `${40_000 + (process.pid % 10_000) + counter++}.5`
})
afterEach(() => cli.remove())

/** Counts the running checks, by the unique number of seconds that they sleep. */
const checks = (): number =>
  readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8') === `sleep\0${seconds}\0`
    } catch {
      return false
    }
  }).length

async function untilChecks(count: number): Promise<void> {
  for (let tries = 0; checks() !== count; tries++) {
    if (tries > 300) throw new Error(`${checks()} checks run, expected ${count}`)
    await pause(100)
  }
}

interface Inspected {
  status: string
  attempts: { status: string; outcome: string | null }[]
}
const inspect = (run: string): Promise<Inspected> => cli.json<Inspected>('inspect', run, '--json')

/** Starts a run with a short agent and a check that lasts for hours. */
async function startSlowCheck(): Promise<string> {
  const plan = join(cli.home, 'plan.yaml')
  writeFileSync(
    plan,
    `goal: Check slowly
runtime: program
runtime_options: { command: [sh, -c, 'echo launched >> launches.txt; echo "{\\"status\\": \\"done\\", \\"summary\\": \\"made\\"}"'] }
briefs:
  - id: main
    objective: Check slowly
    evidence: [{ kind: command, run: "sleep ${seconds}", timeout_seconds: 3600 }]
`,
  )
  const { id } = await cli.json<{ id: string }>('run', '--plan', plan, '--trust', '--json')
  await untilChecks(1)
  return id
}

const daemonPid = (): number => (JSON.parse(readFileSync(join(cli.home, 'daemon.json'), 'utf8')) as { pid: number }).pid

describe('a running check', () => {
  it('survives kill -9 of the daemon as a row: it is started again, and the agent is not', async () => {
    const run = await startSlowCheck()
    process.kill(daemonPid(), 'SIGKILL')
    await untilChecks(0)
    await cli.text('up')
    await untilChecks(1)
    expect((await inspect(run)).attempts).toMatchObject([{ status: 'examining' }])
    const launches = readdirSync(cli.home, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('launches.txt') && !path.includes('.trees'),
    )
    expect(launches.map((path) => readFileSync(join(cli.home, path), 'utf8'))).toEqual(['launched\n'])
    await cli.text('cancel', run)
    await untilChecks(0)
  })

  it('ends with its run', async () => {
    const run = await startSlowCheck()
    await cli.text('cancel', run)
    await untilChecks(0)
    expect(await inspect(run)).toMatchObject({ status: 'cancelled', attempts: [{ outcome: 'interrupted' }] })
    expect(await cli.json('status', '--json')).toMatchObject({ running: { runs: 0, agents: 0, checks: 0 } })
  })

  it('ends at a stop, and starts again when it is lifted', async () => {
    const run = await startSlowCheck()
    await cli.text('stop', '--all')
    await untilChecks(0)
    // The row follows the end of the process.
    await expect.poll(async () => (await inspect(run)).attempts).toMatchObject([{ status: 'reported' }])
    await cli.text('resume')
    await untilChecks(1)
    expect((await inspect(run)).attempts).toHaveLength(1)
    await cli.text('cancel', run)
    await untilChecks(0)
  })

  it('does not keep the daemon from stopping', async () => {
    await startSlowCheck()
    await cli.text('down')
    expect(checks()).toBe(0)
  })
})
