import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import { freshFolder } from './daemon-process.ts'
import { atMost, type Benchmark, median } from './figures.ts'

const bundle = fileURLToPath(new URL('../dist/agency.mjs', import.meta.url))

/** The installed command line against a running daemon, beside the quickest thing that Node can do. */
export const status: Benchmark = {
  name: 'status',
  run: async ({ quick, say }) => {
    if (!existsSync(bundle)) throw new Error('there is no dist/agency.mjs: npm run build')
    const home = freshFolder()
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, AGENCY_PORT: '0' }
    const timed = (args: readonly string[]): number => {
      const began = performance.now()
      const { status: code, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
      return performance.now() - began
    }
    timed([bundle, 'up'])
    try {
      for (let round = 0; round < 5; round++) {
        timed(['-e', '0'])
        timed([bundle, 'status', '--json'])
      }
      const bare: number[] = []
      const asked: number[] = []
      for (let round = 0; round < (quick ? 7 : 31); round++) {
        bare.push(timed(['-e', '0']))
        asked.push(timed([bundle, 'status', '--json']))
      }
      say(`node -e 0 ${median(bare).toFixed(0)} ms, agency status --json ${median(asked).toFixed(0)} ms`)
      const ratios = asked.map((each, round) => each / (bare[round] as number))
      return [atMost('agency status --json / node -e 0', median(ratios), 2.5, '×')]
    } finally {
      timed([bundle, 'down'])
      rmSync(home, { recursive: true, force: true })
    }
  },
}
