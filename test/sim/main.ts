import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

import { bugs } from './bugs/all.ts'
import { tryBugs } from './bugs/try.ts'
import type { WithGit } from './repositories/open.ts'
import { dealSeeds } from './deal.ts'
import type { SeedResult } from './seeds.ts'
import type { WorldPlaybook } from './simulate.ts'

const help = `npm run sim -- [options]

Plays simulated worlds on every core and prints a line to repeat each that breaks an invariant.

  --seeds <n>         Number of worlds (100)
  --start <seed>      First seed, or "random", which is printed (1)
  --playbook <name>   direct, tiered, or mixed: runs of both beside each other (direct)
  --workers <n>       Number of processes on one store (drawn for each seed; 1 with --plain)
  --plain             Leave out the kinds of faults that were added later, to repeat an old seed
  --repositories      Give runs repositories: agents commit, git merges and lands their work
  --lead              Give the organisation a lead that answers questions
  --git <which>       memory, real, or drawn: the real git in one of 256 worlds (drawn)
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
    playbook: { type: 'string' },
    workers: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    repositories: { type: 'boolean', default: false },
    lead: { type: 'boolean', default: false },
    git: { type: 'string', default: 'drawn' },
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
/** A bug is searched in the worlds that lead to it. */
const bug = values.bug === undefined ? undefined : bugs[values.bug]
const playbook = playbookOf(values.playbook ?? bug?.playbook ?? 'direct')
const workers = values.workers === undefined ? bug && (bug.workers ?? 1) : wholeNumber('workers', values.workers)
if (workers === 0) refuse('--workers must be at least 1')
if (values.git !== 'memory' && values.git !== 'real' && values.git !== 'drawn')
  refuse('--git must be memory, real or drawn')
const withGit: WithGit = values.repositories || bug?.withGit === true ? values.git : false
const withLead = values.lead || bug?.withLead === true
if (values.bugs) process.exit(await tryBugs(seeds, start))

const began = performance.now()
const endMs = values.minutes === undefined ? Infinity : began + wholeNumber('minutes', values.minutes) * 60_000
const total = { seeds: 0, events: 0, lives: 0, faults: new Map<string, number>(), failures: 0 }
/** Seeds and processor time by the number of processes on the store. */
const rates = new Map<number, { seeds: number; cpuMs: number }>()
if (values.start === 'random') console.log(`${playbook}: ${seeds} seeds from ${start}`)
if (values.verbose && seeds === 1 && values.bug === undefined) await printLog()
await dealSeeds({
  start,
  seeds,
  jobs,
  playbook,
  bug: values.bug,
  isPlain: values.plain,
  withGit,
  withLead,
  workers,
  withLog: values.verbose,
  onResult: add,
})
printTotal()

function add({ seed, failure, hash, events, lives, faults, workers: processes, cpuMs }: SeedResult): boolean {
  total.seeds++
  total.events += events
  total.lives += lives
  const rate = rates.get(processes) ?? { seeds: 0, cpuMs: 0 }
  rates.set(processes, { seeds: rate.seeds + 1, cpuMs: rate.cpuMs + cpuMs })
  for (const [kind, count] of faults) total.faults.set(kind, (total.faults.get(kind) ?? 0) + count)
  if (values.verbose) console.log(`${seed} ${hash} ${events} events, ${lives} lives`)
  const isInTime = performance.now() < endMs
  if (failure === null) return isInTime
  total.failures++
  process.exitCode = 1
  const injected = values.bug === undefined ? '' : ` --bug ${values.bug}`
  console.log(`seed ${seed} breaks "${failure.invariant}": ${failure.detail}`)
  const other = playbook === 'direct' ? '' : ` --playbook ${playbook}`
  const plain =
    (values.plain ? ' --plain' : '') +
    (withGit === false ? '' : ' --repositories') +
    (withLead ? ' --lead' : '') +
    (values.git === 'drawn' ? '' : ` --git ${values.git}`)
  const shared = workers === undefined ? '' : ` --workers ${workers}`
  console.log(`  npm run sim -- --seeds 1 --start ${seed}${other}${shared}${plain}${injected}`)
  return values.all && isInTime
}

async function printLog(): Promise<void> {
  const { simulate } = await import('./simulate.ts')
  const options = { isPlain: values.plain, withGit, withLead, workers, withLog: true }
  console.log((await simulate(start, playbook, options)).log.join('\n'))
}

function printTotal(): void {
  const seconds = (performance.now() - began) / 1_000
  const faults = [...total.faults.values()].reduce((sum, count) => sum + count, 0)
  const each = (count: number): string => (count / total.seeds).toFixed(1)
  console.log(
    `${total.seeds} seeds, ${(total.seeds / seconds).toFixed(1)} per second, ${each(faults)} faults per seed, ` +
      `${each(total.events)} events, ${each(total.lives)} lives of the daemon; ${total.failures} failed`,
  )
  if ([...rates.keys()].some((processes) => processes > 1))
    for (const [processes, { seeds: played, cpuMs }] of [...rates].sort(([a], [b]) => a - b))
      console.log(
        `  ${processes} ${processes === 1 ? 'process' : 'processes'} on the store: ${played} seeds, ` +
          `${((1_000 * played) / cpuMs).toFixed(1)} per second of processor time`,
      )
  if (!values.verbose) return
  for (const [kind, count] of [...total.faults].sort((a, b) => b[1] - a[1])) console.log(`  ${count} ${kind}`)
}

function playbookOf(name: string): WorldPlaybook {
  if (name !== 'direct' && name !== 'tiered' && name !== 'mixed') refuse('--playbook must be direct, tiered or mixed')
  return name
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
