import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { append } from './append.ts'
import { box } from './box.ts'
import { brief } from './brief.ts'
import { chart } from './chart.ts'
import { checkouts } from './checkouts.ts'
import { claim } from './claim.ts'
import { clones } from './clones.ts'
import { dashboard } from './dashboard.ts'
import { engine } from './engine.ts'
import { type Benchmark, type BenchOptions, type Figure, tableOf } from './figures.ts'
import { handover } from './handover.ts'
import { hostile } from './hostile.ts'
import { idle } from './idle.ts'
import { org } from './org.ts'
import { peers } from './peers.ts'
import { postgres } from './postgres.ts'
import { prompts } from './prompts.ts'
import { proving } from './proving.ts'
import { recovery } from './recovery.ts'
import { sim } from './sim.ts'
import { status } from './status.ts'
import { tiered } from './tiered.ts'

const benchmarks: readonly Benchmark[] = [
  append,
  status,
  recovery,
  engine,
  brief,
  peers,
  postgres,
  idle,
  org,
  chart,
  dashboard,
  claim,
  clones,
  checkouts,
  handover,
  proving,
  box,
  prompts,
  hostile,
  tiered,
  sim,
]

/** `npm run bench`, `npm run bench -- --only engine`, `--quick`, `--only brief --against ../other-checkout`. */
const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, against: { type: 'string' } },
})
process.exitCode = await main(values.only, { quick: values.quick, against: values.against })

async function main(only: string | undefined, options: Omit<BenchOptions, 'log'>): Promise<number> {
  const chosen = benchmarks.filter(({ name }) => only === undefined || name === only)
  if (chosen.length === 0) {
    console.error(`error: unknown benchmark "${only}"; available: ${benchmarks.map(({ name }) => name).join(', ')}`)
    return 2
  }
  const figures: Figure[] = []
  for (const benchmark of chosen) {
    console.log(`${benchmark.name} …`)
    figures.push(...(await benchmark.run({ ...options, log: (line) => console.log(`  ${line}`) })))
  }
  console.log(['', ...tableOf(figures)].join('\n'))
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(figures, null, 2)}\n`)
  return figures.every(({ ok }) => ok) ? 0 : 1
}
