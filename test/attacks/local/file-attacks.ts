import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Attack } from '../contract.ts'
import type { DaemonStage } from '../daemon-stage.ts'
import { createLink } from './browser-session.ts'
import type { LocalStage } from './stage.ts'

const isRoot = process.getuid?.() === 0

/** Another user can be played by root only. */
const needsRoot = (): string | null => (isRoot ? null : 'only root can act as another user')

const runAsNobody = (script: string): { code: number; out: string } => {
  const result = spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'sh', '-c', script])
  return { code: result.status ?? 1, out: String(result.stdout) }
}

/** Reports whether another user can read a file of a home that others may enter. */
function canRead({ home }: DaemonStage, path: string): boolean {
  chmodSync(home, 0o755)
  try {
    return runAsNobody(`if [ -d '${path}' ]; then ls '${path}'; else head -c 1 '${path}'; fi`).code === 0
  } finally {
    chmodSync(home, 0o700)
  }
}

const readable = (name: string, paths: (home: string) => readonly string[]): Attack<LocalStage> => ({
  name: `read ${name} as another user, in a home that others may enter`,
  skip: needsRoot,
  control: async ({ daemon }) => {
    const shared = join(daemon.home, 'shared.txt')
    writeFileSync(shared, 'shared', { mode: 0o644 })
    return canRead(daemon, shared)
  },
  attack: async ({ daemon }) => {
    const found = paths(daemon.home).filter((path) => existsSync(path))
    if (found.length === 0) throw new Error(`the home has none of ${paths(daemon.home).join(', ')}`)
    return found.some((path) => canRead(daemon, path))
  },
})

export const fileAttacks: readonly Attack<LocalStage>[] = [
  readable('the store', (home) =>
    ['store.db', 'store.db-wal', 'store.db-shm', 'owner.db'].map((name) => join(home, name)),
  ),
  readable('the logs', (home) => ['logs', 'logs/daemon.log'].map((name) => join(home, name))),
  readable('workspaces and attempts', (home) => ['workspaces', 'attempts', 'boxes'].map((name) => join(home, name))),
  readable('secrets and names', (home) =>
    ['operator.token', 'chain.key', 'host.name', 'daemon.json'].map((name) => join(home, name)),
  ),
  {
    name: 'find a file of the daemon with permissions for other users',
    control: async ({ daemon }) => {
      const shared = join(daemon.home, 'shared.txt')
      writeFileSync(shared, 'shared')
      chmodSync(shared, 0o644)
      return isOpen(shared)
    },
    attack: async ({ daemon }) => {
      const { file } = await createLink(daemon, true)
      const names = ['store.db', 'store.db-wal', 'store.db-shm', 'owner.db', 'logs', 'logs/daemon.log', 'workspaces']
      const all = [...names, 'attempts', 'links', 'host.name', 'daemon.json', 'operator.token', 'chain.key']
      return isOpen(file) || all.some((name) => isOpen(join(daemon.home, name)))
    },
  },
  {
    name: 'read the file that leads a browser to a sign-in link',
    skip: needsRoot,
    control: async ({ daemon }) => {
      const { file, code } = await createLink(daemon, true)
      return readFileSync(file, 'utf8').includes(code)
    },
    attack: async ({ daemon }) => canRead(daemon, (await createLink(daemon, true)).file),
  },
  {
    name: 'read a sign-in link from the arguments of the browser',
    skip: () => (spawnSync('script', ['--version']).status === 0 ? null : 'the program "script" is not installed'),
    control: async ({ daemon }) => readFileSync((await openedWith(daemon)).trim(), 'utf8').includes('/enter?code=lnk_'),
    attack: async ({ daemon }) => (await openedWith(daemon)).includes('lnk_'),
  },
  {
    name: 'have an open home go unnoticed',
    isLong: true,
    control: async ({ daemon }) => !(await daemon.cli('up')).out.includes('chmod 700'),
    attack: async ({ daemon }) => {
      chmodSync(daemon.home, 0o755)
      try {
        const [up, doctor] = [await daemon.cli('up'), await daemon.cli('doctor')]
        return !up.out.includes('chmod 700') || !doctor.out.includes('chmod 700')
      } finally {
        chmodSync(daemon.home, 0o700)
      }
    },
  },
]

const isOpen = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) % 0o100 !== 0

/** Runs `agency open` in a terminal with a browser that writes its arguments down; returns them. */
async function openedWith({ home }: DaemonStage): Promise<string> {
  const [browser, seen] = [join(home, 'browser'), join(home, 'arguments.txt')]
  rmSync(seen, { force: true })
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" >'${seen}.new'; mv '${seen}.new' '${seen}'\n`, { mode: 0o700 })
  const main = join(import.meta.dirname, '../../../src/cli/main.ts')
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENCY_HOME: home, BROWSER: browser, TERM: 'xterm' }
  await new Promise<void>((resolve, reject) => {
    const words = [
      '-qec',
      `'${process.execPath}' '${main}' open; until [ -e '${seen}' ]; do sleep 0.05; done`,
      '/dev/null',
    ]
    execFile('script', words, { env, timeout: 30_000 }, (error) => (error === null ? resolve() : reject(error)))
  })
  return readFileSync(seen, 'utf8')
}
