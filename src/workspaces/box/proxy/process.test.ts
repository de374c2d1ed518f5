// @suite process

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { systemClock } from '../../../kernel/clock.ts'
import { createProxyProcess } from './process.ts'

const network = { allowed: true, allow: [], block: ['blocked.example'], private: ['127.0.0.1'] }

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agency-p'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function greeter(): Promise<number> {
  const server = createServer((_, answer) => answer.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const ask = (socketPath: string, url: string): Promise<string> =>
  new Promise((resolve) => {
    get({ socketPath, path: url, headers: { host: 'x' } }, async (answer) => {
      let text = `${answer.statusCode} `
      for await (const part of answer) text += String(part)
      resolve(text)
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })

/** Returns the process ids of the proxies that this process has started. */
const proxies = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) \S /s, '')
          .split(' ')[0]
        return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('proxy/main.ts')
      } catch {
        return false
      }
    })

it('serves all sockets by one process without the environment of its parent', async () => {
  const [folder, port] = [folderOfTest(), await greeter()]
  process.env['SECRET_OF_PARENT'] = 'x'
  onTestFinished(() => void delete process.env['SECRET_OF_PARENT'])
  const refused: string[] = []
  const proxy = createProxyProcess({ clock: systemClock })
  const before = proxies()
  const [egress, pipe] = await Promise.all([
    proxy.open(join(folder, 'a'), { kind: 'egress', network }, (host, why) => refused.push(`${host}: ${why}`)),
    proxy.open(join(folder, 'b'), { kind: 'pipe', host: '127.0.0.1', port }),
  ])
  const own = proxies().filter((pid) => !before.includes(pid))
  expect(own).toHaveLength(1)
  expect(readFileSync(`/proc/${own[0]}/environ`, 'utf8')).not.toMatch(/SECRET_OF_PARENT|PATH=|HOME=/)
  expect(await ask(join(folder, 'a'), `http://127.0.0.1:${port}/`)).toBe('200 hello')
  expect(await ask(join(folder, 'b'), '/')).toBe('200 hello')
  expect(await ask(join(folder, 'a'), 'http://blocked.example/')).toMatch(/^403 /)
  await expect.poll(() => refused).toEqual(['blocked.example: blocked by "blocked.example"'])
  egress.close()
  await expect.poll(() => ask(join(folder, 'a'), 'http://127.0.0.1/')).toBe('ENOENT')
  pipe.close()
})

it('starts again when it was killed, with every socket', async () => {
  const [folder, port] = [folderOfTest(), await greeter()]
  const reasons: string[] = []
  const proxy = createProxyProcess({ clock: systemClock, ended: (reason) => reasons.push(reason) })
  const before = proxies()
  const opened = await proxy.open(join(folder, 'a'), { kind: 'egress', network })
  const [pid] = proxies().filter((each) => !before.includes(each))
  process.kill(pid as number, 'SIGKILL')
  await expect.poll(() => ask(join(folder, 'a'), `http://127.0.0.1:${port}/`)).toBe('200 hello')
  expect(reasons).toEqual(['SIGKILL'])
  opened.close()
})

it('rejects a socket that cannot be opened, and goes on', async () => {
  const folder = folderOfTest()
  const proxy = createProxyProcess({ clock: systemClock })
  await expect(proxy.open(join(folder, 'no', 'folder'), { kind: 'egress', network })).rejects.toThrow('listen')
  const opened = await proxy.open(join(folder, 'a'), { kind: 'egress', network })
  opened.close()
})
