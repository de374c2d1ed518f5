import { expect, it, onTestFinished } from 'vitest'
import { join } from 'node:path'

import { freshFolder } from '../../test/support/store.ts'
import { createContext } from '../cli/context.ts'
import { buildProgram } from '../cli/program.ts'
import { startDaemon } from '../daemon/start.ts'
import { sqlOf } from '../db/tx.ts'
import { knownKinds } from './about.ts'

async function open() {
  const env = { AGENCY_HOME: join(freshFolder(), 'home'), PATH: process.env['PATH'], AGENCY_PORT: '0' }
  const daemon = await startDaemon({ env, web: null })
  onTestFinished(() => daemon.stop())
  return {
    daemon,
    /** Runs a command line in this process; returns its lines. */
    async agency(...words: string[]): Promise<string[]> {
      const lines: string[] = []
      const context = { ...createContext(env), out: (line: string) => void lines.push(line) }
      await buildProgram(context, () => {}, words[0]).parseAsync(words, { from: 'user' })
      return lines
    },
    /** Adds a job and gives it up. */
    async giveUp(kind: string, payload: string, error: string): Promise<string> {
      await daemon.db.write([], (tx) => daemon.jobs.enqueue(tx, { kind, payload, key: payload, delayMs: 3_600_000 }))
      const give = "UPDATE jobs SET status = 'dead', tries = 10, error = ? WHERE key = ? RETURNING id"
      return daemon.db.write([], async (tx) => String((await sqlOf(tx).get(give, [error, payload]))?.['id']))
    },
  }
}

it('every kind of job that a daemon handles has words for people, and no other', async () => {
  const { daemon } = await open()
  expect(daemon.jobs.kinds().sort()).toEqual([...knownKinds].sort())
})

it('"agency jobs" lists jobs that were given up, and "agency jobs retry" tries one again', async () => {
  const { agency, giveUp } = await open()
  expect(await agency('jobs')).toEqual(['no job has failed'])
  expect((await agency('status')).join('\n')).not.toContain('given up')
  const id = await giveUp('gate_timeout', 'gat_none', 'the first line\nthe second \x1b[31mline')
  const listed = await agency('jobs')
  expect(listed).toEqual([
    expect.stringMatching(
      new RegExp(`^${id}  .*dead  gate_timeout  time limit of gat_none  failed 10 times, given up `),
    ),
    '  the first line the second �[31mline',
    `  agency jobs retry ${id}`,
  ])
  expect(await agency('jobs', 'list')).toEqual(listed)
  expect(await agency('status')).toContain('jobs     1 job given up; "agency jobs" lists them')
  await expect(agency('jobs', 'retry', 'job_none')).rejects.toThrow('no job "job_none"')
  expect(await agency('jobs', 'retry', id)).toEqual([`${id} is tried again: time limit of gat_none`])
})
