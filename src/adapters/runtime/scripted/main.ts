import { readFile } from 'node:fs/promises'

import type { Scenario } from './contract.ts'
import { interpret } from './interpret.ts'
import { createProcessHost, printLine } from './process-host.ts'

/** The scripted agent as a process of its own: reads its prompt from standard input, its scenario from AGENCY_SCENARIO. */
async function main(): Promise<never> {
  // The daemon may have died; a real agent would not notice either and would continue.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  for await (const _ of process.stdin);
  const scenario = JSON.parse(await readFile(process.env['AGENCY_SCENARIO'] ?? 'scenario.json', 'utf8')) as Scenario
  const host = createProcessHost(process.env['AGENCY_TOKEN'] ?? '', process.env['AGENCY_CONFINED'] === '1')
  const { exitCode, signal } = await interpret(scenario, Number(process.env['AGENCY_ATTEMPT'] ?? 1), host)
  if (signal !== null) {
    process.kill(process.pid, signal)
    await host.hang()
  }
  return process.exit(exitCode ?? 1)
}

await main().catch(async (error: unknown) => {
  await printLine({ type: 'text', text: `The scenario could not be played: ${String(error)}` })
  process.exit(1)
})
