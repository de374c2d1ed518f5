import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { type Daemon, startDaemon } from '../../src/daemon/start.ts'

/** A daemon in this process with a home of its own, and a folder for repositories and programs. */
export interface World {
  readonly daemon: Daemon
  readonly home: string
  readonly folder: string
  /** Creates the operator's repository. */
  makeRepository(name: string, files: Readonly<Record<string, string>>): string
  close(): Promise<void>
}

export const searchPath = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`

export async function openWorld({
  boxed,
  slots,
  keep,
}: {
  boxed: boolean
  slots: number
  keep: boolean
}): Promise<World> {
  // Not under /tmp, which every box has of its own.
  const folder = realpathSync(mkdtempSync('/var/tmp/agency-liars-'))
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(
    join(home, 'config.yaml'),
    JSON.stringify({ box: boxed ? 'required' : 'off', slots, log_level: 'error', limits: { max_processes: 60 } }),
  )
  // Processes in boxes search the programs of the system, not those of a developer's home.
  process.env['PATH'] = searchPath
  const env = { PATH: searchPath, HOME: folder, AGENCY_HOME: home }
  const daemon = await startDaemon({ env, flags: { port: '0' }, web: null })
  return {
    daemon,
    home,
    folder,
    makeRepository: (name, files) => {
      const path = join(folder, 'repositories', name)
      mkdirSync(path, { recursive: true })
      writeFiles(path, files)
      git(path, 'init', '--quiet', '--initial-branch=main')
      git(path, 'add', '-A')
      git(path, 'commit', '--quiet', '--allow-empty', '-m', 'Begin')
      return path
    },
    close: async () => {
      await daemon.stop()
      if (keep) console.log(`kept ${folder}`)
      else rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

export function git(path: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], {
    cwd: path,
    encoding: 'utf8',
    env: { PATH: searchPath, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}
