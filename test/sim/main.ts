import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

import { tryBugs } from './bugs/try.ts'
import { dealSeeds } from './deal.ts'
import type { SeedResult } from './worker.ts'

const help = `npm run sim -- [options]

Plays simulated worlds on every core and prints a line to repeat each that breaks an invariant.

  --seeds <n>         Number of worlds (100)
  --start <seed>      First seed, or "random", which is printed (1)
  --playbook <name>   direct, tiered, or mixed: runs of both beside each other (direct)
  --plain             Leave out the kinds of faults that were added later, to repeat an old seed
  --repositories      Give runs repositories: agents commit, git merges and lands their work
  --all               Continue after a failure
  --minutes <n>       Deal no more seeds after this time
  --jobs <n>          Number of processes (one per core)
  --verbose           Print each world's hash, and every event of a single seed
  --bug <name>        Search for an injected bug
  --bugs              Search for every injected bug, each in at most --seeds worlds`

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
    repositories: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
const seeds = wholeNumber('seeds', values.seeds)
const start = values.start === 'random' ? randomInt(1_000_000, 1_000_000_000) : wholeNumber('start', values.start)
const jobs = Math.max(1, wholeNumber('jobs', values.jobs))
if (values.playbook !== 'direct' && values.playbook !== 'tiered' && values.playbook !== 'mixed')
  refuse('--playbook must be direct, tiered or mixed')
const playbook = values.playbook
if (values.bugs) process.exit(await tryBugs(seeds, start))

const began = performance.now()
const endMs = values.minutes === undefined ? Infinity : began + wholeNumber('minutes', values.minutes) * 60_000
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
  withGit: values.repositories,
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
  const isInTime = performance.now() < endMs
  if (failure === null) return isInTime
  total.failures++
  process.exitCode = 1
  const bug = values.bug === undefined ? '' : ` --bug ${values.bug}`
  console.log(`seed ${seed} breaks "${failure.invariant}": ${failure.detail}`)
  const other = playbook === 'direct' ? '' : ` --playbook ${playbook}`
  const plain = (values.plain ? ' --plain' : '') + (values.repositories ? ' --repositories' : '')
  console.log(`  npm run sim -- --seeds 1 --start ${seed}${other}${plain}${bug}`)
  return values.all && isInTime
}

async function printLog(): Promise<void> {
  const { simulate } = await import('./simulate.ts')
  console.log(
    (await simulate(start, playbook, { isPlain: values.plain, withGit: values.repositories, withLog: true })).log.join(
      '\n',
    ),
  )
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
