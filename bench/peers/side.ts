import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { Asked, Examined, Timed } from './protocol.ts'

/** One of those that are compared, in a process of its own. */
export interface Side {
  time(asked: Asked): Promise<Timed>
  /** Only Agency can. */
  examine(): Promise<Examined>
  stop(): Promise<void>
}

export async function startSide(entry: string, args: readonly string[]): Promise<Side> {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL(entry, import.meta.url)), ...args], {
    // Nothing of the environment: it could switch on tracing, or another way to compile.
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  const ended = once(child, 'exit')
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`${entry} ended before it was asked to`)
    return JSON.parse(value)
  }
  const ask = (asked: unknown): Promise<unknown> => {
    child.stdin?.write(`${JSON.stringify(asked)}\n`)
    return next()
  }
  await next()
  return {
    time: (asked) => ask(asked) as Promise<Timed>,
    examine: () => ask('examine') as Promise<Examined>,
    async stop() {
      child.stdin?.end()
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`${entry} ended with ${code}`)
    },
  }
}
