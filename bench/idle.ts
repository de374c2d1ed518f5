import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import { pause } from '../src/kernel/clock.ts'
import { freshFolder, startDaemonProcess } from './daemon-process.ts'
import { atMost, type Benchmark, type Figure, median, plainly } from './figures.ts'

const bundle = fileURLToPath(new URL('../dist/daemon.mjs', import.meta.url))
const bareServer = `require('node:http').createServer((_, a) => a.end('{}')).listen(0, '127.0.0.1', () => console.log('Agency is up'))`

/** What it costs to have it running and not to use it. */
export const idle: Benchmark = {
  name: 'idle',
  run: async (options) => [...(await besideBareServer(options)), await countStatements(options)],
}

async function besideBareServer({ quick, say }: { quick: boolean; say: (line: string) => void }): Promise<Figure[]> {
  if (!existsSync(bundle)) throw new Error('there is no dist/daemon.mjs: npm run build')
  const home = freshFolder()
  const starts: number[] = []
  const memories: number[] = []
  // The first start makes the home and its store, which no later one does.
  await look([bundle, '--foreground', '--port', '0'], home)
  for (let round = 0; round < (quick ? 3 : 9); round++) {
    const bare = await look(['-e', bareServer], home)
    const daemon = await look([bundle, '--foreground', '--port', '0'], home)
    starts.push(daemon.readyMs / bare.readyMs)
    memories.push(daemon.rssBytes / bare.rssBytes)
    const shown = ({ readyMs, rssBytes }: Look): string => `${readyMs.toFixed(0)} ms, ${(rssBytes / 1e6).toFixed(0)} MB`
    say(`daemon ${shown(daemon)}; bare server ${shown(bare)}`)
  }
  rmSync(home, { recursive: true, force: true })
  return [
    plainly('idle daemon: resident memory / bare Node HTTP server', median(memories), '×'),
    plainly('idle daemon: start to ready / bare Node HTTP server', median(starts), '×'),
  ]
}

interface Look {
  readyMs: number
  rssBytes: number
}

/** Until it says that it is up; its memory a second later, when starting is over. */
async function look(args: readonly string[], home: string): Promise<Look> {
  const began = performance.now()
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  const readyMs = performance.now() - began
  await pause(1_000)
  const rssBytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return { readyMs, rssBytes }
}

const sweepSeconds = 30

/** On SQLite an idle daemon asks its store for nothing but what the sweep asks, twice a minute. */
async function countStatements({ quick, say }: { quick: boolean; say: (line: string) => void }): Promise<Figure> {
  const seconds = quick ? 20 : 60
  await avoidHousekeeping(seconds)
  const daemon = await startDaemonProcess()
  let known = daemon.first.statements
  let bySweep = 0
  let beside = 0
  for (let second = 1; second <= seconds + 1; second++) {
    await pause(1_000)
    const { statements } = await daemon.counts()
    const isSweep = second >= sweepSeconds && second % sweepSeconds <= 1
    if (isSweep) bySweep += statements - known
    else beside += statements - known
    known = statements
  }
  await daemon.stop()
  const sweeps = Math.floor((seconds + 1) / sweepSeconds)
  say(`${beside} statements in ${seconds} s, and ${bySweep} in ${sweeps} sweeps`)
  return atMost(
    `idle daemon: SQL statements in ${seconds} s beside the sweep`,
    beside,
    0,
    '',
    `${bySweep} by ${sweeps} sweeps`,
  )
}

/** Its one job comes on the hour, and is no idleness. */
async function avoidHousekeeping(seconds: number): Promise<void> {
  const leftMs = 3_600_000 - (Date.now() % 3_600_000)
  if (leftMs < (seconds + 10) * 1_000) await pause(leftMs + 1_000)
}
