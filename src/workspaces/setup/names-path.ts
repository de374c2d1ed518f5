import { spawn } from 'node:child_process'
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Reports whether one of these files or directories contains the path of its own root, as programs of a virtual
 * environment do: under another path they would not work.
 */
export async function namesPath(root: string, paths: readonly string[]): Promise<boolean> {
  const searched: string[] = []
  for (const path of paths) {
    // The search would follow a link that it is given.
    if (!(await lstat(join(root, path))).isSymbolicLink()) searched.push(path)
    else if ((await readlink(join(root, path))).startsWith(root)) return true
  }
  return searched.length > 0 && search(root, searched)
}

function search(root: string, paths: readonly string[]): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const child = spawn('xargs', ['-0', 'grep', '-rlsF', '--devices=skip', '-e', root, '--'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let found = false
  child.stdout.on('data', () => (found = true))
  child.stdin.on('error', () => {})
  child.stdin.end(paths.map((path) => `./${path}\0`).join(''))
  child.once('error', reject)
  child.once('close', () => resolve(found))
  return promise
}
