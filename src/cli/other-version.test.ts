// @suite process
import { createServer } from 'node:http'
import { join } from 'node:path'

import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { createTestCli, type Ended } from '../../test/support/cli.ts'
import { freshFolder } from '../../test/support/store.ts'
import { version, versionWithBuild } from '../entries.ts'

const main = join(import.meta.dirname, 'main.ts')

/** A run as an older daemon describes it, without the fields that were added later. */
const olderRun = {
  id: 'run_0123456789ab',
  mission_id: 'mis_0123456789ab',
  organisation_id: 1,
  playbook: 'direct',
  status: 'done',
  goal_anchor: 'say hello',
  simulated: true,
  briefs_total: 1,
  briefs_open: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:01.000Z',
}

const answers: Record<string, unknown> = {
  '/api/status': {
    pid: 4_194_305,
    version: '0.0.9',
    home: '/home/agency',
    store: { kind: 'sqlite', place: '/home/agency/store.db' },
    address: 'http://127.0.0.1:1',
    socket: '/home/agency/agency.sock',
    started_at: '2026-01-01T00:00:00.000Z',
    box: 'none',
    running: { runs: 0, agents: 0, slots: 2 },
  },
  '/healthz': { ok: true },
  '/api/links': { url: 'http://127.0.0.1:1/enter', expires_at: '2026-01-01T00:10:00.000Z' },
  '/api/gates': { gates: [], total: 0 },
  '/api/runs': { runs: [olderRun], next: null },
  '/api/runs/run_0123456789ab': olderRun,
}

let call: (words: readonly string[]) => Promise<Ended>
let daemonVersion: string | null

/** The daemon is a server of its own with answers of an older version; only the wire is real, and all of it. */
beforeEach(async () => {
  const cli = createTestCli(main)
  onTestFinished(() => cli.remove())
  const socket = join(freshFolder(), 's.sock')
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? ''
    const body = answers[path]
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      ...(daemonVersion === null ? {} : { 'agency-version': daemonVersion }),
    })
    const hint = 'GET /api/openapi.json lists all operations.'
    const unknown = { code: 'not_found', message: `unknown operation ${request.method} ${path}`, hint, exit: 3 }
    response.end(JSON.stringify(body ?? unknown))
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  call = (words) => cli.start(words, { AGENCY_SOCKET: socket }).ended
  daemonVersion = null
})

describe('a command beside a daemon of another version', () => {
  const restart = 'Restart the daemon with "agency down" and "agency up"; briefs of running agents resume.'

  it.each([['status'], ['runs'], ['inspect', olderRun.id], ['jobs']])(
    'ends in one line with both versions: %s',
    async (...words) => {
      const { code, err, out } = await call(words)
      expect(err).toBe(
        `error: the daemon is version unknown (an earlier build), this command is version ${version}\n  ${restart}\n`,
      )
      expect(code).toBe(1)
      expect(out).not.toContain('undefined')
    },
  )

  it('names the version that the daemon sends with its answers', async () => {
    daemonVersion = '0.0.9+1f3c9a2b'
    expect((await call(['status'])).err).toContain(
      `the daemon is version 0.0.9 (build 1f3c9a2b), this command is version ${version}`,
    )
  })

  it('uses an answer that has everything it needs', async () => {
    const { code, out } = await call(['gates'])
    expect({ code, out }).toEqual({ code: 0, out: 'no gate is pending\n' })
  })

  it('says of a change that it was made', async () => {
    const { code, err } = await call(['run', 'say hello', '--runtime', 'scripted'])
    expect(err).toMatch(/^error: the change was made, but the answer cannot be shown: the daemon is version unknown/)
    expect(code).toBe(1)
  })

  it('starts no second daemon and warns of the older one', async () => {
    const { code, out, err } = await call(['up'])
    expect({ code, out }).toEqual({ code: 0, out: 'agency was already up (pid 4194305)  http://127.0.0.1:1/enter\n' })
    expect(err).toBe(
      `warning: the daemon is version unknown (an earlier build), this command is version ${version}\n  ${restart}\n`,
    )
  })

  it('prints the answer as JSON as it came', async () => {
    const { code, out, err } = await call(['status', '--json'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out)).toEqual(answers['/api/status'])
  })

  it('still fails with the stack of a bug if the versions agree', async () => {
    daemonVersion = versionWithBuild
    const { code, err } = await call(['status'])
    expect(code).toBe(1)
    expect(err).toContain('TypeError')
  })
})
