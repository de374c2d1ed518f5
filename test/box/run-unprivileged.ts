import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface AttackResult {
  readonly name: string
  readonly skipped?: string
  readonly error?: string
  readonly control?: boolean
  readonly boxed?: boolean
  readonly output?: readonly string[]
}

/** Returns why the attacks cannot run as another user, or null. */
export function whyNotUnprivileged(): string | null {
  if (process.getuid?.() !== 0) return 'only root can become another user'
  const { error, status } = spawnSync('setpriv', [...asUnprivileged, 'true'])
  return error === undefined && status === 0 ? null : 'setpriv is not installed'
}

/** The uid and gid of the user `nobody`. */
const unprivilegedId = 65_534
const asUnprivileged = [`--reuid=${unprivilegedId}`, `--regid=${unprivilegedId}`, '--clear-groups']

/** Runs all attacks as an unprivileged user, from a copy of the source that all users may read. */
export async function attackAsUnprivileged(): Promise<AttackResult[]> {
  const folder = mkdtempSync('/var/tmp/agency-nobody-')
  try {
    const program = copyInto(folder)
    const args = [...asUnprivileged, program, join(folder, 'test/box/main.ts')]
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: join(folder, 'home'), LANG: 'C.UTF-8' }
    const child = spawn('setpriv', args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    for await (const chunk of child.stdout) text += String(chunk)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AttackResult)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Copies the source and Node; returns the copied Node, because the original may be in a directory that only root can
 * enter.
 */
function copyInto(folder: string): string {
  const root = resolve(import.meta.dirname, '../..')
  const program = join(folder, 'node/bin/node')
  mkdirSync(dirname(program), { recursive: true })
  mkdirSync(join(folder, 'home'))
  for (const name of ['src', 'test/box', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(process.execPath, program, { dereference: true })
  execFileSync('chmod', ['-R', 'a+rX', folder])
  execFileSync('chown', ['-R', String(unprivilegedId), join(folder, 'home')])
  chmodSync(folder, 0o755)
  return program
}
