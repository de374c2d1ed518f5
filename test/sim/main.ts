import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

import { tryBugs } from './bugs/try.ts'
import { dealSeeds } from './deal.ts'
import type { SeedResult } from './worker.ts'

/**
 * `npm run sim -- --seeds 5000 --start random --playbook tiered --all` plays worlds on every core. `--start` takes the
 * first seed or `random`, `--all` continues after a failure, `--jobs` sets the number of processes.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    start: { type: 'string', default: '1' },
    playbook: { type: 'string', default: 'direct' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const seeds = wholeNumber('seeds', values.seeds)
const start = values.start === 'random' ? randomInt(1_000_000, 1_000_000_000) : wholeNumber('start', values.start)
const jobs = Math.max(1, wholeNumber('jobs', values.jobs))
if (values.playbook !== 'direct' && values.playbook !== 'tiered') refuse('--playbook must be direct or tiered')
const playbook = values.playbook
if (values.bugs) process.exit(await tryBugs(seeds, start))

const began = performance.now()
const total = { seeds: 0, events: 0, lives: 0, faults: new Map<string, number>(), failures: 0 }
if (values.start === 'random') console.log(`${playbook}: ${seeds} seeds from ${start}`)
if (values.verbose && seeds === 1 && values.bug === undefined) await printLog()
await dealSeeds({
  start,
  seeds,
  jobs,
  playbook,
  bug: values.bug,
  isPlain: values.plain,
  withLog: values.verbose,
  onResult: add,
})
printTotal()

function add({ seed, failure, hash, events, lives, faults }: SeedResult): boolean {
  total.seeds++
  total.events += events
  total.lives += lives
  for (const [kind, count] of faults) total.faults.set(kind, (total.faults.get(kind) ?? 0) + count)
  if (values.verbose) console.log(`${seed} ${hash} ${events} events, ${lives} lives`)
  if (failure === null) return true
  total.failures++
  process.exitCode = 1
  const bug = values.bug === undefined ? '' : ` --bug ${values.bug}`
  console.log(`seed ${seed} breaks "${failure.invariant}": ${failure.detail}`)
  const tiered = playbook === 'tiered' ? ' --playbook tiered' : ''
  const plain = values.plain ? ' --plain' : ''
  console.log(`  npm run sim -- --seeds 1 --start ${seed}${tiered}${plain}${bug}`)
  return values.all
}

async function printLog(): Promise<void> {
  const { simulate } = await import('./simulate.ts')
  console.log((await simulate(start, playbook, { isPlain: values.plain, withLog: true })).log.join('\n'))
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
  return Number.isSafeInteger(number) && number >= 0
    ? number
    : refuse(`--${name} must be a whole number, not "${text}"`)
}

function refuse(why: string): never {
  console.error(`error: ${why}`)
  process.exit(2)
}
