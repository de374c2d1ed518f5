import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createNetServer, connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { noteRoutes } from '../../test/support/notes.ts'
import { createSeenLog, sendTo, startServer } from '../../test/support/server.ts'
import { freshFolder, freshSqlite, testChainKey } from '../../test/support/store.ts'
import { createVirtualClock } from '../../test/support/virtual-clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { AgencyError } from '../kernel/errors.ts'
import { createCredentials } from './credentials.ts'
import { createSessions } from '../sessions/service.ts'
import { createServer } from './server.ts'

describe('listening', () => {
  const bare = async (): Promise<ReturnType<typeof createServer>> => {
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
    onTestFinished(() => server.stop())
    return server
  }
  const occupied = async (port = 0): Promise<number> => {
    const other = createNetServer()
    await new Promise<void>((resolve, reject) => other.once('error', reject).listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    return (other.address() as { port: number }).port
  }
  const refused = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(AgencyError)
    return (error as AgencyError).code
  }

  it('closes the connections of a program that opens hundreds of them', async () => {
    const { port } = await (await bare()).listen({ socket: join(freshFolder(), 's') })
    const opened = Array.from({ length: 450 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    onTestFinished(() => opened.forEach((each) => void each.destroy()))
    const { promise: dropped, resolve } = Promise.withResolvers<void>()
    let closed = 0
    for (const each of opened) each.once('close', () => ++closed === 50 && resolve())
    await dropped
    expect(opened.filter((each) => !each.destroyed)).toHaveLength(400)
  })

  it('refuses a requested port that is taken', async () => {
    const port = await occupied()
    const socket = join(freshFolder(), 's')
    expect(await refused((await bare()).listen({ socket, port }))).toBe('port_taken')
    expect(existsSync(socket)).toBe(false)
  })

  it('uses any free port when only the default port is taken', async () => {
    // The port may already be taken by a daemon on this machine, which may release it at any moment; that is nearly as
    // good.
    const isHeld = await occupied(7717).then(
      () => true,
      () => false,
    )
    const { port, address } = await (await bare()).listen({ socket: join(freshFolder(), 's') })
    if (isHeld) expect(port).not.toBe(7717)
    expect((await sendTo({ port }, 'GET', '/healthz')).status).toBe(200)
    expect(address).toBe(`http://127.0.0.1:${port}`)
  })

  it('creates a socket for its owner only, and removes it', async () => {
    const socket = join(freshFolder(), 's')
    const server = await bare()
    await server.listen({ socket, port: 0 })
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    await server.stop()
    expect(existsSync(socket)).toBe(false)
  })

  it('replaces a socket without a listener, and no other file', async () => {
    const folder = freshFolder()
    const stale = join(folder, 'stale')
    const dead = createNetServer()
    await new Promise<void>((resolve) => dead.listen(join(folder, 'first'), resolve))
    // Node removes the path it listened on; under another name the file stays, as after a kill.
    renameSync(join(folder, 'first'), stale)
    await new Promise((resolve) => dead.close(resolve))
    await (await bare()).listen({ socket: stale, port: 0 })
    expect((await sendTo({ socketPath: stale }, 'GET', '/healthz')).status).toBe(200)

    const answered = join(folder, 'answered')
    await (await bare()).listen({ socket: answered, port: 0 })
    expect(await refused((await bare()).listen({ socket: answered, port: 0 }))).toBe('home_owned')
    expect((await sendTo({ socketPath: answered }, 'GET', '/healthz')).status).toBe(200)

    const file = join(folder, 'file')
    writeFileSync(file, 'precious')
    expect(await refused((await bare()).listen({ socket: file, port: 0 }))).toBe('conflict')
    expect(existsSync(file)).toBe(true)
  })

  it('answers invalid HTTP with a problem', async () => {
    const { port } = await (await bare()).listen({ socket: join(freshFolder(), 's'), port: 0 })
    const text = await new Promise<string>((resolve) => {
      let all = ''
      const socket = connect(port, '127.0.0.1', () => socket.write('what is this\r\n\r\n'))
      socket.on('data', (part) => (all += part.toString())).on('close', () => resolve(all))
    })
    expect(text).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*invalid_input/s)
  })
})

describe('stopping', () => {
  it('waits for open requests and accepts no more', async () => {
    const { db } = await freshSqlite()
    let reached = (): void => {}
    let letGo = (): void => {}
    const atWork = new Promise<void>((resolve) => (reached = resolve))
    const gate = new Promise<void>((resolve) => (letGo = resolve))
    const { send, server, socket } = await startServer({
      db,
      routes: noteRoutes(db, () => {
        reached()
        return gate
      }),
    })
    const waiting = send('POST', '/api/notes/wait')
    await atWork
    const stopped = server.stop()
    await expect(send('GET', '/healthz')).rejects.toThrow(/ECONNREFUSED/)
    letGo()
    expect((await waiting).json).toEqual({ waited: true })
    await stopped
    expect(existsSync(socket)).toBe(false)
  })

  it('aborts requests that take longer than five seconds', async () => {
    const clock = createVirtualClock()
    const { db } = await freshSqlite()
    let reached = (): void => {}
    const atWork = new Promise<void>((resolve) => (reached = resolve))
    const { send, server } = await startServer({
      db,
      clock,
      routes: noteRoutes(db, () => {
        reached()
        return new Promise(() => {})
      }),
    })
    const waiting = send('POST', '/api/notes/wait').catch((error: NodeJS.ErrnoException) => error.code)
    await atWork
    const stopped = server.stop()
    clock.advance(5_000)
    await stopped
    expect(await waiting).toBe('ECONNRESET')
  })
})
