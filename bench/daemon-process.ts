import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { Counts } from './daemon.ts'

/** `bench/daemon.ts` as a process of its own, on a home of its own. */
export interface DaemonProcess {
  readonly pid: number
  readonly home: string
  readonly readyAt: number
  readonly first: Counts
  readonly token: string
  counts(): Promise<Counts>
  stop(): Promise<void>
}

/** Starts the daemon; `under` is a command that runs it, such as strace. */
export async function startDaemonProcess(under: readonly string[] = []): Promise<DaemonProcess> {
  const home = freshFolder()
  const [program = process.execPath, ...args] = [
    ...under,
    process.execPath,
    entry,
    '--ceiling',
    join(home, 'ceiling.sock'),
  ]
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const next = async (): Promise<Counts> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the daemon of the benchmark ended before it was stopped')
    return JSON.parse(value) as Counts
  }
  const first = await next()
  return {
    pid: child.pid ?? 0,
    home,
    readyAt: performance.now(),
    first,
    token: readFileSync(join(home, 'operator.token'), 'utf8').trim(),
    counts: () => {
      child.stdin?.write('\n')
      return next()
    },
    async stop() {
      const ended = once(child, 'exit')
      child.stdin?.end()
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export const freshFolder = (): string => mkdtempSync(join(tmpdir(), 'agency-bench-'))

const entry = fileURLToPath(new URL('daemon.ts', import.meta.url))
