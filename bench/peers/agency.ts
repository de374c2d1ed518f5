import { createInterface } from 'node:readline'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'

import { auditEvents } from '../../src/events/audit.ts'
import { replayEvents } from '../../src/events/replay.ts'
import { eventTables } from '../../src/tables.ts'
import { eventsPerBrief, openBench } from '../engine-store.ts'
import type { TimingRequest, StoreCheck, Timing } from './protocol.ts'

/** The engine in a process of its own, beside `langgraph.mjs`. */
const { values } = parseArgs({ options: { store: { type: 'string', default: '' } } })

const bench = await openBench(values.store)
console.log('{}')
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as TimingRequest | 'checkStore'
  console.log(JSON.stringify(request === 'checkStore' ? await checkStore() : await time(request)))
}
await bench.close()

async function time({ size, runs }: TimingRequest): Promise<Timing> {
  const began = performance.now()
  const cpu = process.cpuUsage()
  for (let count = 0; count < runs; count++) await bench.planAndRun(size)
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - began) / 1_000, cpuSeconds: (user + system) / 1e6 }
}

async function checkStore(): Promise<StoreCheck> {
  const audit = await auditEvents(bench.db)
  const replay = await replayEvents(bench.db, eventTables)
  return {
    findings: audit.findings.length + replay.differences.length,
    events: audit.events,
    rows: replay.rows,
    eventsPerStep: await eventsPerBrief(bench.db),
  }
}
