// @suite process

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { expect, it, onTestFinished } from 'vitest'

import { freshFolder } from '../../test/support/store.ts'
import { ownHome } from './owner.ts'

const program = `
  import { ownHome } from ${JSON.stringify(new URL('./owner.ts', import.meta.url).href)}
  try {
    const ownership = ownHome(process.argv[1])
    console.log('owned')
    process.stdin.on('data', () => { ownership.release(); process.exit(0) })
  } catch (error) {
    console.log(error.code + ': ' + error.message)
  }
`

/**
 * Starts a real process that owns a home until it is killed or asked to end; resolves with the first line that it
 * prints.
 */
async function owner(home: string): Promise<{ line: string; child: ChildProcess; ended: Promise<unknown> }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, home], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  for await (const line of createInterface({ input: child.stdout })) return { line, child, ended }
  throw new Error('the owner printed nothing')
}

it('lets one process own a home and names its pid to the second', async () => {
  const home = freshFolder()
  const first = await owner(home)
  expect(first.line).toBe('owned')
  expect(() => ownHome(home)).toThrow(
    expect.objectContaining({
      code: 'home_owned',
      message: `another Agency (pid ${first.child.pid}) already runs on ${home}`,
      hint: expect.stringContaining('agency down') as string,
    }),
  )
})

it('frees the home the moment its owner is killed', async () => {
  const home = freshFolder()
  const first = await owner(home)
  first.child.kill('SIGKILL')
  await first.ended
  const second = await owner(home)
  expect(second.line).toBe('owned')
})

it('frees the home after its owner has released it', async () => {
  const home = freshFolder()
  const first = await owner(home)
  first.child.stdin?.write('end\n')
  await first.ended
  expect(existsSync(join(home, 'owner.pid'))).toBe(false)
  const ownership = ownHome(home)
  ownership.release()
  ownership.release()
  ownHome(home).release()
})

it('gives the home to exactly one of several processes that start at the same moment', async () => {
  const home = freshFolder()
  const lines = (await Promise.all([1, 2, 3, 4].map(() => owner(home)))).map(({ line }) => line)
  expect(lines.filter((line) => line === 'owned')).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('home_owned: another Agency'))).toHaveLength(3)
})

it('refuses a second owner within the same process', () => {
  const home = freshFolder()
  const ownership = ownHome(home)
  expect(() => ownHome(home)).toThrow(expect.objectContaining({ code: 'home_owned' }))
  ownership.release()
})

it('ignores a pid file without a lock', () => {
  const home = freshFolder()
  writeFileSync(join(home, 'owner.pid'), '1\n')
  expect(() => ownHome(home).release()).not.toThrow()
})

it('reports the reason when a home cannot be owned', () => {
  const home = freshFolder()
  mkdirSync(join(home, 'owner.db'))
  expect(() => ownHome(home)).toThrow(expect.objectContaining({ code: 'store_unusable' }))
  expect(() => ownHome(join(home, 'nowhere'))).toThrow(expect.objectContaining({ code: 'store_unusable' }))
})
