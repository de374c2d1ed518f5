// @suite process

import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { expect, it } from 'vitest'

const module = fileURLToPath(new URL('./inherited-descriptors.ts', import.meta.url))

/** Prints what a child of a process can read through descriptor 200, which the process has inherited. */
function readThrough(prelude: string): string {
  const code = `${prelude}
    const { spawnSync } = await import('node:child_process')
    const child = spawnSync('cat', ['/proc/self/fd/200/etc/hostname'], { encoding: 'utf8' })
    console.log(child.status === 0 ? 'open' : 'closed')`
  const command = `exec 200</; exec "$0" --input-type=module -e "$1"`
  return execFileSync('bash', ['-c', command, process.execPath, code], { encoding: 'utf8' }).trim()
}

it.skipIf(process.platform !== 'linux')('closes a directory that the caller has left open', () => {
  expect(readThrough('')).toBe('open')
  expect(readThrough(`(await import(${JSON.stringify(module)})).closeInheritedDescriptors()`)).toBe('closed')
})

it('keeps the descriptors of Node itself', () => {
  const code = `const fs = await import('node:fs')
    const server = (await import('node:http')).createServer((_, answer) => answer.end('fine')).listen(0)
    const file = fs.openSync('/dev/null')
    ;(await import(${JSON.stringify(module)})).closeInheritedDescriptors()
    fs.fstatSync(file)
    console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text())
    server.close()`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  expect({ stdout, status }, stderr).toEqual({ stdout: 'fine\n', status: 0 })
})
