import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createNetServer } from 'node:net'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { createSeenLog } from '../../test/support/server.ts'
import { freshFolder, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { systemClock } from '../kernel/clock.ts'
import { createCredentials } from '../server/credentials.ts'
import { createServer } from '../server/server.ts'
import { createSessions } from '../sessions/service.ts'
import { listenOnUsualPort } from './usual-ports.ts'

const noSessions = { revokeOtherPorts: async () => 0, revokeAll: async () => 0 }

async function occupied(port = 0): Promise<{ port: number; release: () => Promise<void> }> {
  const other = createNetServer()
  await new Promise<void>((resolve, reject) => other.once('error', reject).listen(port, '127.0.0.1', resolve))
  const release = (): Promise<void> => new Promise((resolve) => void other.close(() => resolve()))
  onTestFinished(release)
  return { port: (other.address() as { port: number }).port, release }
}

/** Starts and stops a server of the home, as a daemon does; returns what it listened on. */
async function startIn(home: string, configured?: number) {
  const { db } = await freshSqlite()
  const server = createServer({
    routes: [],
    credentials: createCredentials({
      operatorToken: 'opr_x',
      chainKey: testChainKey,
      clock: systemClock,
      findAttempt: async () => undefined,
    }),
    sessions: createSessions({ db, clock: systemClock, operatorToken: 'opr_x' }),
    once: db.once,
    clock: systemClock,
    log: createSeenLog([]),
    webRoot: null,
    version: '0',
  })
  const paths = { socket: join(home, 's.sock'), ports: join(home, 'ports.json') }
  const listened = await listenOnUsualPort(server, noSessions, paths, configured)
  await server.stop()
  return listened
}

it('a home keeps the port of its first start, also while another program has it for a while', async () => {
  const home = freshFolder()
  const usual = await occupied()
  writeFileSync(join(home, 'ports.json'), JSON.stringify([usual.port]))
  const second = await startIn(home)
  expect(second.port).not.toBe(usual.port)
  expect(second.lostPort).toBe(usual.port)
  expect(await startIn(home)).toMatchObject({ port: second.port, lostPort: usual.port })
  await usual.release()
  expect(await startIn(home)).toMatchObject({ port: usual.port, lostPort: null })
  expect(JSON.parse(readFileSync(join(home, 'ports.json'), 'utf8'))).toEqual([usual.port, second.port])
})

it('a configured port is used as it is, and not remembered', async () => {
  const home = freshFolder()
  const free = await occupied()
  await free.release()
  expect(await startIn(home, free.port)).toMatchObject({ port: free.port, lostPort: null })
  expect(existsSync(join(home, 'ports.json'))).toBe(false)
})

it('a damaged file of ports costs only their memory', async () => {
  const home = freshFolder()
  writeFileSync(join(home, 'ports.json'), '{"no": [')
  expect((await startIn(home)).lostPort).toBeNull()
})
