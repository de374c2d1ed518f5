import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

import type { WorldsRequest } from './sim.ts'

/** The simulation of any checkout in a process of its own, so that two of them can be measured in turns. */
const { values } = parseArgs({ options: { checkout: { type: 'string', default: '.' } } })
const module = pathToFileURL(resolve(values.checkout, 'test/sim/simulate.ts')).href
const { simulate } = (await import(module)) as typeof import('../test/sim/simulate.ts')

console.log('{}')
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await measure(JSON.parse(line) as WorldsRequest)))

/** Returns the processor time of all worlds. */
async function measure({ playbook, start, seeds }: WorldsRequest): Promise<number> {
  const cpu = process.cpuUsage()
  for (let seed = start; seed < start + seeds; seed++) await simulate(seed, playbook, { workers: 1 })
  const { user, system } = process.cpuUsage(cpu)
  return user + system
}
