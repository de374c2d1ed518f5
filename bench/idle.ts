import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import { pause } from '../src/kernel/clock.ts'
import { type DaemonProcess, freshFolder, startDaemonProcess } from './daemon-process.ts'
import { atMost, type Benchmark, type Figure, median } from './figures.ts'
import { gatedRuns, openGatedRuns } from './gated-runs.ts'

const bundle = fileURLToPath(new URL('../dist/daemon.mjs', import.meta.url))
const bareServer = `require('node:http').createServer((_, a) => a.end('{}')).listen(0, '127.0.0.1', () => console.log('Agency is up'))`

/** Cost of a daemon that runs without being used. */
export const idle: Benchmark = {
  name: 'idle',
  run: async (options) => [...(await besideBareServer(options)), ...(await countStatements(options))],
}

async function besideBareServer({ quick, log }: { quick: boolean; log: (line: string) => void }): Promise<Figure[]> {
  if (!existsSync(bundle)) throw new Error('dist/daemon.mjs does not exist; run: npm run build')
  const home = freshFolder()
  const starts: number[] = []
  const memories: number[] = []
  // Only the first start creates the home and its store.
  await sampleProcess([bundle, '--foreground', '--port', '0'], home)
  for (let round = 0; round < (quick ? 3 : 9); round++) {
    const bare = await sampleProcess(['-e', bareServer], home)
    const daemon = await sampleProcess([bundle, '--foreground', '--port', '0'], home)
    starts.push(daemon.readyMs / bare.readyMs)
    memories.push(daemon.rssBytes / bare.rssBytes)
    const shown = ({ readyMs, rssBytes }: Sample): string =>
      `${readyMs.toFixed(0)} ms, ${(rssBytes / 1e6).toFixed(0)} MB`
    log(`daemon ${shown(daemon)}; bare server ${shown(bare)}`)
  }
  rmSync(home, { recursive: true, force: true })
  return [
    atMost('idle daemon: resident memory / bare Node HTTP server', median(memories), 2.3, '×'),
    atMost('idle daemon: start to ready / bare Node HTTP server', median(starts), 7, '×'),
  ]
}

interface Sample {
  readyMs: number
  rssBytes: number
}

/** Measures the time until the process reports that it is up, and its memory one second later, after the start. */
async function sampleProcess(args: readonly string[], home: string): Promise<Sample> {
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

/**
 * On SQLite an idle daemon sends no statements except those of the sweep, twice a minute, regardless of waiting runs.
 */
async function countStatements({ quick, log }: { quick: boolean; log: (line: string) => void }): Promise<Figure[]> {
  const seconds = quick ? 32 : 62
  await avoidHousekeeping(seconds + 60)
  const [empty, full] = await Promise.all([startDaemonProcess(), startDaemonProcess()])
  await openGatedRuns(full.home)
  const [none, many] = await Promise.all([countWhileIdle(empty, seconds), countWhileIdle(full, seconds)])
  await Promise.all([empty.stop(), full.stop()])
  const shown = ({ beside, bySweep, sweeps }: StatementCount): string =>
    `${beside} beside ${bySweep} by ${sweeps} sweeps`
  log(`statements in ${seconds} s: ${shown(none)}; with ${gatedRuns} gated runs ${shown(many)}`)
  return [
    atMost(`idle daemon: SQL statements in ${seconds} s beside the sweep`, none.beside, 0, '', shown(none)),
    atMost(
      `idle daemon: statements that ${gatedRuns} gated runs add`,
      many.beside - none.beside + many.bySweep / many.sweeps - none.bySweep / none.sweeps,
      0,
      '',
      shown(many),
    ),
  ]
}

interface StatementCount {
  beside: number
  bySweep: number
  sweeps: number
}

async function countWhileIdle(daemon: DaemonProcess, seconds: number): Promise<StatementCount> {
  const counted: StatementCount = { beside: 0, bySweep: 0, sweeps: 0 }
  // By then the requests and all their consequences are finished.
  await pause(2_000)
  let { statements: known } = await daemon.counts()
  for (let second = 0; second < seconds; second++) {
    await pause(1_000)
    const { statements } = await daemon.counts()
    const sinceSweep = ((performance.now() - daemon.readyAt) / 1_000) % sweepSeconds
    const isSweep = sinceSweep < 2 || sinceSweep > sweepSeconds - 1
    if (isSweep) counted.bySweep += statements - known
    else counted.beside += statements - known
    if (isSweep && statements > known) counted.sweeps++
    known = statements
  }
  return counted
}

/** Waits until the hourly job, which is not part of idleness, cannot fall into the measured window. */
async function avoidHousekeeping(seconds: number): Promise<void> {
  const leftMs = 3_600_000 - (Date.now() % 3_600_000)
  if (leftMs < (seconds + 10) * 1_000) await pause(leftMs + 1_000)
}
