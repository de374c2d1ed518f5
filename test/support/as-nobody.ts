import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The uid and gid of the user `nobody`. */
const id = 65_534
const asNobody = [`--reuid=${id}`, `--regid=${id}`, '--clear-groups']

/** Runs a script of this repository as the user `nobody`, in place or from a copy that all users may read; returns the exit code. */
export function playAsNobody(script: string, args: readonly string[]): number {
  if (process.getuid?.() !== 0) return refused('only root can become another user')
  if (spawnSync('setpriv', [...asNobody, 'true']).status !== 0) return refused('setpriv is not installed')
  const folder = mkdtempSync('/var/tmp/agency-nobody-')
  try {
    const root = readableRoot(folder)
    const home = join(folder, 'home')
    execFileSync('install', ['-d', '-o', String(id), '-g', String(id), home])
    execFileSync('chmod', ['755', folder])
    const command = [join(root, 'node_modules/node/bin/node'), join(root, script), ...args]
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' }
    return spawnSync('setpriv', [...asNobody, ...command], { cwd: '/', env, stdio: 'inherit' }).status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns this repository if the user may read it, otherwise a copy. */
function readableRoot(folder: string): string {
  const root = resolve(import.meta.dirname, '../..')
  const looks = ['test', '-r', join(root, 'node_modules/zod/package.json')]
  if (spawnSync('setpriv', [...asNobody, ...looks]).status === 0) return root
  const copy = join(folder, 'agency')
  execFileSync('mkdir', [copy])
  for (const name of ['src', 'test', 'talent', 'node_modules', 'package.json'])
    execFileSync('cp', ['-a', '--reflink=auto', join(root, name), copy])
  execFileSync('chmod', ['-R', 'a+rX', copy])
  return copy
}

function refused(reason: string): number {
  console.error(`error: ${reason}`)
  return 2
}
