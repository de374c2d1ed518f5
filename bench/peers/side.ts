import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { TimingRequest, StoreCheck, Timing } from './protocol.ts'

/** One of the compared programs, in a process of its own. */
export interface Side {
  time(request: TimingRequest): Promise<Timing>
  /** Supported by Agency only. */
  checkStore(): Promise<StoreCheck>
  stop(): Promise<void>
}

export async function startSide(entry: string, args: readonly string[]): Promise<Side> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL(entry, import.meta.url)), ...args], {
    // The environment is not passed on: it could switch on tracing or other compiler options.
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const ended = once(child, 'exit')
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`${entry} ended before it was stopped`)
    return JSON.parse(value)
  }
  const ask = (request: unknown): Promise<unknown> => {
    child.stdin?.write(`${JSON.stringify(request)}\n`)
    return next()
  }
  await next()
  return {
    time: (request) => ask(request) as Promise<Timing>,
    checkStore: () => ask('checkStore') as Promise<StoreCheck>,
    async stop() {
      child.stdin?.end()
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`${entry} ended with ${code}`)
    },
  }
}
