import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program in a process of its own that answers one line of JSON with another. */
export interface Answering {
  ask<T>(request: unknown): Promise<T>
  stop(): Promise<void>
}

/** Starts a program of this folder; its first line reports that it is ready. */
export async function startAnswering(entry: string, args: readonly string[]): Promise<Answering> {
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
  await next()
  return {
    ask: <T>(request: unknown) => {
      child.stdin?.write(`${JSON.stringify(request)}\n`)
      return next() as Promise<T>
    },
    async stop() {
      child.stdin?.end()
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error(`${entry} ended with ${code}`)
    },
  }
}
