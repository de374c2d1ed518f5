import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

import type { Clock } from '../kernel/clock.ts'
import { type Log, type LogFields, type LogLevel, logLevels } from '../kernel/log.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'

export interface LogOptions {
  path: string
  level: LogLevel
  clock: Clock
  maxBytes?: number
  /** Number of full files that are kept beside the current one: `daemon.log.1` is the newest. */
  keep?: number
}

export interface FileLog extends Log {
  /** Returns the number of lines lost because they could not be written. */
  dropped(): number
  close(): void
}

/** Maximum length of a text: longer ones are not read, and a flood must not fill the disk. */
const maxText = 8_000
const maxDepth = 6
const maxItems = 100

/**
 * Creates a log of JSON lines, written synchronously, because the lines just before a crash are the most useful ones.
 */
export function createLog({ path, level, clock, maxBytes = 10_000_000, keep = 5 }: LogOptions): FileLog {
  const lowest = logLevels.indexOf(level)
  let file: { fd: number; bytes: number } | null = null
  let dropped = 0
  let unreported = 0

  function open(): { fd: number; bytes: number } {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const fd = openSync(path, 'a', 0o600)
    return { fd, bytes: fstatSync(fd).size }
  }

  function close(): void {
    if (file !== null) closeSync(file.fd)
    file = null
  }

  function rotate(): void {
    close()
    if (keep === 0) return closeSync(openSync(path, 'w', 0o600))
    for (let number = keep - 1; number >= 0; number--) {
      const from = number === 0 ? path : `${path}.${number}`
      try {
        renameSync(from, `${path}.${number + 1}`)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  }

  function append(line: string): void {
    const bytes = Buffer.from(`${line}\n`)
    file ??= open()
    if (file.bytes > 0 && file.bytes + bytes.length > maxBytes) {
      rotate()
      file = open()
    }
    const written = writeSync(file.fd, bytes)
    file.bytes += written
    if (written < bytes.length) throw new Error('only a part of the line was written')
  }

  function write(of: LogLevel, message: string, fields: LogFields = {}): void {
    if (logLevels.indexOf(of) < lowest) return
    try {
      if (unreported > 0) {
        append(lineOf(clock.at(), 'warn', 'lines of this log were lost', { lines: unreported }))
        unreported = 0
      }
      append(lineOf(clock.at(), of, message, fields))
    } catch {
      // A full disk must not stop the daemon; the number of lost lines is logged once there is space again.
      dropped++
      unreported++
      try {
        close()
      } catch {
        file = null
      }
    }
  }

  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    dropped: () => dropped,
    close,
  }
}

function lineOf(at: string, level: LogLevel, message: string, fields: LogFields): string {
  const first = { at, level, message: cleanText(message) }
  // Given twice: they come first, and no field of the same name replaces them.
  return JSON.stringify({ ...first, ...(clean(fields, 0) as object), ...first })
}

const cleanText = (text: string): string => shorten(redact(text), maxText)

/** Names of fields that always contain a secret, in any form. */
const secretName = /^(authorization|cookie|set-cookie|token|password|secret|api_?key)$/i

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
    return cleanText(String(value))
  if (value === null || typeof value !== 'object') return value
  if (depth > maxDepth) return '…'
  if (value instanceof Error) return cleanText(value.stack ?? String(value))
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => clean(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([name, item]) => [cleanText(name), secretName.test(name) ? '[redacted]' : clean(item, depth + 1)]),
  )
}
