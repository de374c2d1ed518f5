import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { program } from '../test/support/machine.ts'
import { freshFolder, startDaemonProcess } from './daemon-process.ts'
import { atLeast, type Benchmark, type Figure, median, skipped } from './figures.ts'
import { postMissions } from './load.ts'

const clients = 16

/** A mission is posted and stored for good; the ceiling is the same server, route and checks without the commit. */
export const append: Benchmark = {
  name: 'append',
  run: async ({ quick, say }) => {
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
      say(`${stored.toFixed(0)} stored/s, ${answered.toFixed(0)} answered/s, ${(stored / answered).toFixed(2)}`)
    }
    await daemon.stop()
    return [
      atLeast('durable append through HTTP / without the commit', median(ratios), 0.6, '×', `${clients} clients`),
      await countSyncs(quick ? 500 : 2_000),
    ]
  },
}

const name = 'syncs per committed group'

/** Asked from outside the process: what the kernel was told, not what we believe. */
async function countSyncs(requests: number): Promise<Figure> {
  const strace = program('strace')
  if (strace === null) return skipped(name, '×', '≥ 1', 'strace is not installed')
  const probe = spawnSync(strace, ['-c', 'true'], { encoding: 'utf8' })
  if (probe.status !== 0) return skipped(name, '×', '≥ 1', `strace may not trace here (${probe.stderr.split('\n')[0]})`)
  const idle = await traced(strace, 0)
  const loaded = await traced(strace, requests)
  const syncs = loaded.syncs - idle.syncs
  return atLeast(
    name,
    syncs / loaded.commits,
    1,
    '×',
    `${syncs} syncs, ${loaded.commits} groups, ${requests} acknowledged`,
  )
}

/** A whole life of the daemon; one without a request tells what starting and stopping cost. */
async function traced(strace: string, requests: number): Promise<{ syncs: number; commits: number }> {
  const folder = freshFolder()
  const output = join(folder, 'strace')
  const daemon = await startDaemonProcess([strace, '-c', '-f', '-e', 'trace=fsync,fdatasync', '-o', output])
  const before = await daemon.counts()
  if (requests > 0) await postMissions({ address: daemon.first.address, token: daemon.token, clients, requests })
  const { commits } = await daemon.counts()
  await daemon.stop()
  const syncs = countIn(readFileSync(output, 'utf8'))
  rmSync(folder, { recursive: true, force: true })
  return { syncs, commits: commits - before.commits }
}

/** The column "calls" of the lines of both calls. */
const countIn = (summary: string): number =>
  summary
    .split('\n')
    .filter((line) => /\bf(data)?sync$/.test(line))
    .reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[3]), 0)
