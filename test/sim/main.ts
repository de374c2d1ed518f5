import { parseArgs } from 'node:util'

import { injectBug } from './bugs/inject.ts'
import { tryBugs } from './bugs/try.ts'
import type { Outcome } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    start: { type: 'string', default: '1' },
    playbook: { type: 'string', default: 'direct' },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const seeds = wholeNumber('seeds', values.seeds)
const start = wholeNumber('start', values.start)
const playbook = values.playbook === 'tiered' ? 'tiered' : 'direct'
if (values.bugs) process.exit(await tryBugs(seeds, start))
if (values.bug !== undefined) injectBug(values.bug)
// Imported after the injection, so that every importer gets the module with the bug.
const { simulate } = await import('./simulate.ts')

let current = start
// Errors thrown outside any awaited call.
process.on('uncaughtException', (error: unknown) => {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  printFailure(current, 'every error is handled', detail)
  process.exit(1)
})

const began = performance.now()
const total = { seeds: 0, events: 0, lives: 0, faults: new Map<string, number>(), failures: 0 }
for (current = start; current < start + seeds; current++) {
  const outcome = await simulate(current, playbook)
  add(outcome)
  if (values.verbose) console.log(`${current} ${outcome.hash} ${outcome.events} events, ${outcome.lives} lives`)
  if (values.verbose && seeds === 1) console.log(outcome.log.join('\n'))
  if (outcome.failure === null) continue
  total.failures++
  process.exitCode = 1
  printFailure(current, outcome.failure.invariant, outcome.failure.detail)
  if (!values.all) break
}
printTotal()

function add({ events, lives, faults }: Outcome): void {
  total.seeds++
  total.events += events
  total.lives += lives
  for (const [kind, count] of faults) total.faults.set(kind, (total.faults.get(kind) ?? 0) + count)
}

function printFailure(seed: number, invariant: string, detail: string): void {
  const bug = values.bug === undefined ? '' : ` --bug ${values.bug}`
  console.log(`seed ${seed} breaks "${invariant}": ${detail}`)
  const tiered = playbook === 'tiered' ? ' --playbook tiered' : ''
  console.log(`  npm run sim -- --seeds 1 --start ${seed}${tiered}${bug}`)
}

function printTotal(): void {
  const seconds = (performance.now() - began) / 1_000
  const faults = [...total.faults.values()].reduce((sum, count) => sum + count, 0)
  const each = (count: number): string => (count / total.seeds).toFixed(1)
  console.log(
    `${total.seeds} seeds, ${(total.seeds / seconds).toFixed(1)} per second, ${each(faults)} faults per seed, ` +
      `${each(total.events)} events, ${each(total.lives)} lives of the daemon; ${total.failures} failed`,
  )
  if (!values.verbose) return
  for (const [kind, count] of [...total.faults].sort((a, b) => b[1] - a[1])) console.log(`  ${count} ${kind}`)
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  console.error(`error: --${name} must be a whole number, not "${text}"`)
  process.exit(2)
}
