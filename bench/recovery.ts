import { readdirSync, readFileSync } from 'node:fs'

import { pause } from '../src/kernel/clock.ts'
import { atMost, type Benchmark, median } from './figures.ts'
import { type Home, post, startHome } from './home.ts'

const checks = 10

/**
 * `agency up` after a daemon was killed while it ran ten checks of 40 seconds, beside one that was killed with nothing
 * to do. The checks are repeated after the daemon is ready, so that every round finds ten of them again.
 */
export const recovery: Benchmark = {
  name: 'recovery',
  run: async ({ quick, log }) => {
    // The number is the mark by which the processes of the checks are found.
    const command = `sleep 40.${String(process.pid).padStart(7, '0')}`
    const idle = startHome()
    const busy = startHome(`slots: ${checks}\n`)
    try {
      for (let count = 0; count < checks; count++) await post(busy.home, '/runs', checkedRun(command))
      const ratios: number[] = []
      for (let round = 0; round < (quick ? 2 : 7); round++) {
        await untilRunning(command)
        // The order alternates, because the machine's state differs between the first and the last.
        const [first, second] = round % 2 === 0 ? [idle, busy] : [busy, idle]
        const times = new Map([first, second].map((home) => [home, timeUp(home)]))
        const [without, withChecks] = [times.get(idle) as number, times.get(busy) as number]
        ratios.push(withChecks / without)
        log(`agency up ${without.toFixed(0)} ms, with ${checks} interrupted checks ${withChecks.toFixed(0)} ms`)
      }
      return [atMost(`agency up with ${checks} interrupted checks of 40 s / with none`, median(ratios), 1.5, '×')]
    } finally {
      idle.remove()
      busy.remove()
    }
  },
}

/** Returns a run whose agent is done at once and whose evidence takes long. */
const checkedRun = (command: string) => ({
  goal: 'Wait for a check',
  runtime: 'program',
  runtime_options: { command: ['/bin/sh', '-c', `echo '${report}' > .agency/outbox/report.json`] },
  evidence: [{ kind: 'command', run: command }],
})

const report = JSON.stringify({ status: 'done', summary: 'Done.' })

/** Kills the daemon and returns the milliseconds until another one is ready. */
function timeUp(home: Home): number {
  home.kill()
  return home.timed('up')
}

async function untilRunning(command: string): Promise<void> {
  for (let waited = 0; countProcesses(command) < checks; waited += 50) {
    if (waited > 120_000) throw new Error(`${countProcesses(command)} of ${checks} checks run after two minutes`)
    await pause(50)
  }
}

/** Counts the processes with this command line, inside a box or not. */
const countProcesses = (command: string): number =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name) === command).length

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}
