import type { Root } from 'hast'

import { Unreachable } from '../client.ts'
import { after } from '../clock.ts'

/** Texts of people take a few milliseconds. The page stays usable meanwhile, but later texts wait. */
const deadlineMs = 1_000

let running: Promise<Worker> | null = null
let last: Promise<unknown> = Promise.resolve()

/**
 * Parses Markdown in a worker, one text after the other. Resolves to null if it takes too long or cannot be drawn; rejects
 * if the code of the worker cannot be loaded.
 */
export function parseMarkdown(text: string): Promise<Root | null> {
  const parsed = last.then(() => parse(text))
  last = parsed.catch(() => {})
  return parsed
}

async function parse(text: string): Promise<Root | null> {
  running ??= start().catch((error: unknown) => {
    running = null
    throw error
  })
  const worker = await running
  return new Promise((resolve) => {
    const giveUp = (): void => {
      worker.terminate()
      running = null
      resolve(null)
    }
    const cancel = after(deadlineMs, giveUp)
    const settle = (end: () => void) => (): void => {
      cancel()
      end()
    }
    worker.onmessage = ({ data }: MessageEvent<Root | null>) => settle(() => resolve(data))()
    worker.onerror = settle(giveUp)
    worker.onmessageerror = settle(giveUp)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A worker has one owner.
    worker.postMessage(text)
  })
}

/** Resolves when the worker has loaded its code: that time does not count for a text. */
function start(): Promise<Worker> {
  const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' })
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve(worker)
    worker.onerror = (event) => reject(new Unreachable(event))
  })
}
