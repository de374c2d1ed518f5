import { expect, it } from 'vitest'

import { createVirtualClock } from '../../../../test/support/virtual-clock.ts'
import { directDemo } from '../../../daemon/demos/plays.contract.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { Report } from '../../../work/attempts/contract.ts'
import { makeLaunch } from '../contract-suite.ts'
import type { Launch, RuntimeEvent } from '../port.ts'
import { createScriptedRuntime } from './runtime.ts'
import { checkEvidence } from '../../../engine/evidence/check.ts'

it('plays a demonstration whose first attempt fails one proof and whose second passes all, in 12 to 20 seconds', async () => {
  const launch = await makeLaunch({ options: directDemo.runtimeOptions })
  const first = await playThrough({ ...launch, attempt: 1 })
  const second = await playThrough({ ...launch, attempt: 2 })
  expect(await failuresOf(launch, first.events)).toEqual([])
  expect(first.failures).toEqual([expect.stringContaining('index.html is missing')])
  expect(second.failures).toEqual([])
  expect((first.tookMs + second.tookMs) / 1_000).toBeGreaterThan(12)
  expect((first.tookMs + second.tookMs) / 1_000).toBeLessThan(20)
  expect(first.events.concat(second.events).filter((event) => event.kind === 'text').length).toBeGreaterThan(8)
})

async function playThrough(launch: Launch) {
  const clock = createVirtualClock()
  const startedMs = clock.nowMs()
  const handle = await createScriptedRuntime({ host: 'in-process', clock }).launch(launch)
  const events: RuntimeEvent[] = []
  const reading = (async () => {
    for await (const event of handle.events) events.push(event)
  })()
  while (events.at(-1)?.kind !== 'ended') {
    // No time passes while it writes.
    if (clock.timers() > 0) clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await reading
  return { events, tookMs: clock.nowMs() - startedMs, failures: await failuresOf(launch, events) }
}

/** Checks the evidence exactly as the engine does. */
async function failuresOf(launch: Launch, events: readonly RuntimeEvent[]): Promise<string[]> {
  const report = Report.parse(events.find((event) => event.kind === 'report')?.report)
  const { workspace } = launch
  const { findings } = await checkEvidence({
    evidence: directDemo.evidence,
    outputs: report.outputs,
    files: workspace,
    workspace,
    clock: systemClock,
    mayRunCommands: true,
  })
  return findings.filter((finding) => !finding.passed).map((finding) => finding.detail)
}
