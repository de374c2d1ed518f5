import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface Played {
  readonly name: string
  readonly skipped?: string
  readonly error?: string
  readonly control?: boolean
  readonly boxed?: boolean
  readonly output?: readonly string[]
}

/** Why the attacks cannot be played as somebody else, or null. */
export function whyNotUnprivileged(): string | null {
  if (process.getuid?.() !== 0) return 'only root can become somebody else'
  const { error, status } = spawnSync('setpriv', [...asUnprivileged, 'true'])
  return error === undefined && status === 0 ? null : 'setpriv is not there'
}

const nobody = 65_534
const asUnprivileged = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']

/** All attacks, as a user with no rights, from a copy of the source where everybody may read it. */
export async function attackAsUnprivileged(): Promise<Played[]> {
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
      .map((line) => JSON.parse(line) as Played)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves to the Node of the copy: ours may lie where only root gets to. */
function copyInto(folder: string): string {
  const root = resolve(import.meta.dirname, '../..')
  const program = join(folder, 'node/bin/node')
  mkdirSync(dirname(program), { recursive: true })
  mkdirSync(join(folder, 'home'))
  for (const name of ['src', 'test/box', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(process.execPath, program, { dereference: true })
  execFileSync('chmod', ['-R', 'a+rX', folder])
  execFileSync('chown', ['-R', String(nobody), join(folder, 'home')])
  chmodSync(folder, 0o755)
  return program
}
