// @suite process
import { createServer } from 'node:net'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { createTestCli } from '../../test/support/cli.ts'
import { freshFolder } from '../../test/support/store.ts'

it('says in one line that a daemon closes the connection without an answer', async () => {
  const cli = createTestCli(join(import.meta.dirname, 'main.ts'))
  onTestFinished(() => cli.remove())
  const socket = join(freshFolder(), 's.sock')
  const server = createServer((connection) => void connection.on('error', () => {}).destroy())
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  const { code, err } = await cli.start(['status'], { AGENCY_SOCKET: socket }).ended
  expect(err).toMatch(/^error: the daemon does not answer \(.*\)\n  Run "agency doctor" for details\.\n$/)
  expect(code).toBe(1)
})
