import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { systemClock } from '../kernel/clock.ts'
import { randomToken } from '../kernel/ids.ts'
import { createLog, type FileLog, type LogOptions } from './log.ts'

describe('the daemon’s log', () => {
  let folder: string
  let path: string
  let log: FileLog
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agency-log-'))
    path = join(folder, 'logs', 'daemon.log')
  })
  afterEach(() => {
    log.close()
    rmSync(folder, { recursive: true })
  })
  const open = (options: Partial<LogOptions> = {}): FileLog =>
    (log = createLog({ path, level: 'debug', clock: systemClock, ...options }))
  const text = (file = path): string => readFileSync(file, 'utf8')
  const lines = (file = path): Record<string, unknown>[] =>
    text(file)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  it('writes one JSON object per line, readable by its owner only', () => {
    open().info('ready', { port: 7717, nested: { list: ['a\nb', null] } })
    expect(lines()).toEqual([
      {
        at: expect.stringMatching(/Z$/) as string,
        level: 'info',
        message: 'ready',
        port: 7717,
        nested: { list: ['a\nb', null] },
      },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('leaves out lines below its level', () => {
    open({ level: 'warn' })
    log.debug('no')
    log.info('no')
    log.warn('yes')
    log.error('yes')
    expect(lines().map((line) => line['level'])).toEqual(['warn', 'error'])
  })

  it('removes secrets from every text at any depth, and from fields named after a secret', () => {
    const secret = `opr_${randomToken()}`
    open().error(`denied ${secret}`, {
      header: `Bearer ${secret}`,
      deep: [{ url: 'postgres://agency:hunter2@db/agency' }],
      token: 'short',
      error: new Error(`with ${secret}`),
      [secret]: 1,
    })
    expect(text()).not.toContain(secret)
    expect(text()).not.toContain('hunter2')
    expect(lines()[0]).toMatchObject({ token: '[redacted]', message: 'denied [redacted]' })
  })

  it('starts a new file at the maximum size and keeps the configured number of old ones, each complete', () => {
    open({ maxBytes: 1_000, keep: 2 })
    for (let number = 0; number < 60; number++) log.info('line', { number })
    expect(readdirSync(join(folder, 'logs')).sort()).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2'])
    const kept = [`${path}.2`, `${path}.1`, path].flatMap((file) => {
      expect(statSync(file).size).toBeLessThanOrEqual(1_000)
      return lines(file).map((line) => line['number'] as number)
    })
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 60 - kept.length + index))
  })

  it('appends to an existing file and counts its size', () => {
    open({ maxBytes: 400 }).info('first', { pad: 'x'.repeat(200) })
    log.close()
    open({ maxBytes: 400 }).info('second', { pad: 'x'.repeat(200) })
    expect(lines(`${path}.1`)[0]).toMatchObject({ message: 'first' })
    expect(lines()[0]).toMatchObject({ message: 'second' })
  })

  it('drops and counts lines that cannot be written, and logs their number later', () => {
    mkdirSync(path, { recursive: true })
    open()
    log.info('lost')
    log.info('lost too')
    expect(log.dropped()).toBe(2)
    rmSync(path, { recursive: true })
    log.info('back')
    expect(lines().map(({ message, lines }) => [message, lines])).toEqual([
      ['lines of this log were lost', 2],
      ['back', undefined],
    ])
  })

  it.skipIf(!existsSync('/dev/full'))('survives a full disk', () => {
    path = '/dev/full'
    open()
    expect(() => log.error('no room')).not.toThrow()
    expect(log.dropped()).toBe(1)
  })

  it('keeps its own fields when others have the same names', () => {
    open().info('mine', { message: 'theirs', level: 'none', more: 1 })
    expect(lines()[0]).toMatchObject({ level: 'info', message: 'mine', more: 1 })
  })

  it('accepts values of any type', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    open().info('odd', { circle, big: 10n, call: () => {}, long: 'x'.repeat(100_000), many: Array(10_000).fill(1) })
    expect(text().length).toBeLessThan(20_000)
    expect(log.dropped()).toBe(0)
  })
})
