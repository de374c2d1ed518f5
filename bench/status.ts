import { atMost, type Benchmark, median } from './figures.ts'
import { gatedRuns, openGatedRuns } from './gated-runs.ts'
import { startHome, timed } from './home.ts'

/**
 * Time of the installed command line with a running daemon beside `node -e 0`, and with a daemon that has many runs.
 */
export const status: Benchmark = {
  name: 'status',
  run: async ({ quick, log }) => {
    const empty = startHome()
    const full = startHome()
    try {
      await openGatedRuns(full.home)
      const rounds = {
        bare: () => timed(['-e', '0'], {}),
        json: () => empty.timed('status', '--json'),
        none: () => empty.timed('status'),
        many: () => full.timed('status'),
      }
      for (let round = 0; round < 5; round++) for (const take of Object.values(rounds)) take()
      const taken = { bare: [] as number[], json: [] as number[], none: [] as number[], many: [] as number[] }
      for (let round = 0; round < (quick ? 7 : 31); round++)
        for (const name of Object.keys(rounds) as (keyof typeof rounds)[]) taken[name].push(rounds[name]())
      log(`node -e 0 ${median(taken.bare).toFixed(0)} ms, agency status --json ${median(taken.json).toFixed(0)} ms`)
      log(
        `agency status ${median(taken.none).toFixed(0)} ms, with ${gatedRuns} gated runs ${median(taken.many).toFixed(0)} ms`,
      )
      return [
        atMost('agency status --json / node -e 0', ratio(taken.json, taken.bare), 2.5, '×'),
        atMost(`agency status with ${gatedRuns} gated runs / with none`, ratio(taken.many, taken.none), 1.2, '×'),
      ]
    } finally {
      empty.remove()
      full.remove()
    }
  },
}

const ratio = (ones: readonly number[], others: readonly number[]): number =>
  median(ones.map((each, round) => each / (others[round] as number)))
