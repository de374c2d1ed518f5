import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { program } from '../test/support/machine.ts'
import { freshFolder, startDaemonProcess } from './daemon-process.ts'
import { atLeast, type Benchmark, type Figure, median, skipped } from './figures.ts'
import { postMissions } from './load.ts'

const clients = 16

/** Rate of missions posted and durably stored; the ceiling is the same server, route and checks without the commit. */
export const append: Benchmark = {
  name: 'append',
  run: async ({ quick, log }) => {
    const daemon = await startDaemonProcess()
    const { address, ceiling } = daemon.first
    const rate = (at: string | null): Promise<number> =>
      postMissions({ address: at as string, token: daemon.token, clients, requests: quick ? 1_000 : 4_000 })
    for (let round = 0; round < 2; round++) {
      await rate(address)
      await rate(ceiling)
    }
    const ratios: number[] = []
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      const stored = await rate(address)
      const answered = await rate(ceiling)
      ratios.push(stored / answered)
      log(`${stored.toFixed(0)} stored/s, ${answered.toFixed(0)} answered/s, ${(stored / answered).toFixed(2)}`)
    }
    await daemon.stop()
    return [
      atLeast('durable append through HTTP / without the commit', median(ratios), 0.75, '×', `${clients} clients`),
      await countSyncs(quick ? 500 : 2_000),
    ]
  },
}

const name = 'syncs per committed group'

/** Counts syncs from outside the process: strace shows the system calls themselves, not the product's own counter. */
async function countSyncs(requests: number): Promise<Figure> {
  const strace = program('strace')
  if (strace === null) return skipped(name, '×', '≥ 1', 'strace is not installed')
  const probe = spawnSync(strace, ['true'], { encoding: 'utf8' })
  if (probe.status !== 0) return skipped(name, '×', '≥ 1', `strace may not trace here (${probe.stderr.split('\n')[0]})`)
  const { syncs, commits } = await traced(strace, requests)
  return atLeast(name, syncs / commits, 1, '×', `${syncs} syncs, ${commits} groups, ${requests} acknowledged`)
}

/**
 * Traces the syncs of the log of the store while requests are stored. Those of the start are left out: how many groups
 * its transactions share differs from start to start.
 */
async function traced(strace: string, requests: number): Promise<{ syncs: number; commits: number }> {
  const folder = freshFolder()
  const output = join(folder, 'strace')
  const daemon = await startDaemonProcess([strace, '-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', output])
  const before = { commits: (await daemon.counts()).commits, syncs: countIn(output) }
  await postMissions({ address: daemon.first.address, token: daemon.token, clients, requests })
  const after = { commits: (await daemon.counts()).commits, syncs: countIn(output) }
  await daemon.stop()
  rmSync(folder, { recursive: true, force: true })
  return { syncs: after.syncs - before.syncs, commits: after.commits - before.commits }
}

/** Counts the calls that strace has written so far; it writes a line before the call that it shows returns. */
const countIn = (output: string): number =>
  readFileSync(output, 'utf8')
    .split('\n')
    .filter((line) => /\bf(data)?sync\(\d+<.*\/store\.db-wal>/.test(line)).length
