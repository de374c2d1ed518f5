import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

import type { RunCost, RunRequest } from './brief.ts'

/** The engine of any checkout in a process of its own, so that two of them can be measured in turns. */
const { values } = parseArgs({
  options: { checkout: { type: 'string', default: '.' }, store: { type: 'string', default: '' } },
})
const module = pathToFileURL(resolve(values.checkout, 'bench/engine-store.ts')).href
const { openBench } = (await import(module)) as typeof import('./engine-store.ts')

const bench = await openBench(values.store)
console.log('{}')
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await measure(JSON.parse(line) as RunRequest)))
await bench.close()

async function measure({ runs, shape }: RunRequest): Promise<RunCost> {
  const before = { writes: bench.writes(), statements: bench.db.statements() }
  const cpu = process.cpuUsage()
  for (let count = 0; count < runs; count++)
    await (shape === 'five tiers'
      ? bench.runTiers({ workstreams: 1, tasks: 3, path: 'full' })
      : bench.run(shape === 'one brief' ? 1 : 200))
  const { user, system } = process.cpuUsage(cpu)
  return {
    micros: (user + system) / runs,
    transactions: (bench.writes() - before.writes) / runs,
    statements: (bench.db.statements() - before.statements) / runs,
  }
}
