import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { builtEntry } from './bundle.ts'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  out: string
  err: string
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when this text has been printed on either stream. */
  printed(text: string): Promise<void>
}

/** The command line with a home of its own, called as a person or an agent calls it. */
export interface TestCli {
  readonly home: string
  /** The program and its arguments before the command, for use in scripts. */
  readonly words: readonly string[]
  start(words: readonly string[], env?: Record<string, string>, input?: string | Uint8Array): Started
  run(...words: string[]): Promise<Ended>
  /** Runs a command with this standard input. */
  feed(input: string | Uint8Array, ...words: string[]): Promise<Ended>
  /** Returns the standard output of a command that must succeed. */
  text(...words: string[]): Promise<string>
  json<T>(...words: string[]): Promise<T>
  /** Stops the daemon and removes the home. */
  remove(): Promise<void>
}

export function createTestCli(main: string = builtEntry('agency')): TestCli {
  const home = mkdtempSync(join(tmpdir(), 'agency-cli-'))
  const words = [process.execPath, main]

  const start: TestCli['start'] = (given, env = {}, input = '') => {
    const child = spawn(process.execPath, [main, ...given], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, ...env },
      stdio: 'pipe',
    })
    // A process that has read enough closes its standard input, which is not a failure of the test.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let out = ''
    let err = ''
    const listeners = new Set<() => void>()
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString()
      for (const listener of listeners) listener()
    })
    child.stderr.on('data', (part: Buffer) => {
      err += part.toString()
      for (const listener of listeners) listener()
    })
    // `close` instead of `exit`: after `exit` there may still be output to read.
    let hasEnded = false
    const ended = new Promise<Ended>((settle) => {
      child.on('close', (code, signal) => {
        hasEnded = true
        settle({ code, signal, out, err })
        for (const listener of listeners) listener()
      })
    })
    const printed = (text: string): Promise<void> =>
      new Promise((settle, reject) => {
        const look = (): void => {
          if (`${out}${err}`.includes(text)) settle()
          else if (hasEnded) reject(new Error(`the command ended without printing "${text}": ${out}${err}`))
        }
        listeners.add(look)
        look()
      })
    return { child, ended, printed }
  }

  const cli: TestCli = {
    home,
    words,
    start,
    run: (...given) => start(given).ended,
    feed: (input, ...given) => start(given, {}, input).ended,
    async text(...given) {
      const ended = await cli.run(...given)
      if (ended.code !== 0) throw new Error(`agency ${given.join(' ')}: exit ${ended.code}: ${ended.out}${ended.err}`)
      return ended.out
    },
    json: async (...given) => JSON.parse(await cli.text(...given, '--json')) as never,
    async remove() {
      await cli.run('down')
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return cli
}

/**
 * Runs `agency run … --watch`. Without a box its result waits for a person, so that it is approved as soon as it can be.
 */
export async function runToTheEnd(cli: TestCli, isBoxed: boolean, ...words: string[]): Promise<Ended> {
  const { ended, printed } = cli.start(['run', ...words, '--watch'])
  if (isBoxed) return ended
  await printed('Waiting on acceptance of the result')
  const { gates } = await cli.json<{ gates: { id: string }[] }>('gates')
  for (const { id } of gates) await cli.text('approve', id)
  return ended
}
