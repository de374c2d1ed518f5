import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { outbox } from '../path.ts'
import { boxArguments } from './arguments.ts'
import { writeEtcFiles } from './etc-files.ts'
import { systemArguments } from './system.ts'

export type BoxDetection =
  | { readonly ok: true; readonly program: string; readonly version: string }
  | { readonly ok: false; readonly reason: string; readonly install: string }

interface DetectOptions {
  readonly path?: string | undefined
  /** The directory for the trial box. */
  readonly directory: string
}

/** Detects whether this machine can create a box, by creating an empty one with the arguments of the real ones. */
export async function detectBox({ path = process.env['PATH'], directory }: DetectOptions): Promise<BoxDetection> {
  if (process.platform !== 'linux')
    return { ok: false, reason: `${process.platform} has no bubblewrap`, install: 'Use Linux, or a Linux container.' }
  const program = findOnPath('bwrap', path ?? '')
  if (program === null)
    return { ok: false, reason: 'bubblewrap is not installed', install: 'Run "apt install bubblewrap".' }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(directory, 'p'))
  try {
    const version = (await run(program, ['--version'])).stdout.trim().split(' ').at(-1) ?? ''
    await run(program, [...(await trialArguments(folder)), '--', process.execPath, '--version'])
    return { ok: true, program, version }
  } catch (error) {
    return { ok: false, ...explain(String((error as { stderr?: string }).stderr ?? (error as Error).message)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { timeout: 15_000, env: {} })

async function trialArguments(folder: string): Promise<string[]> {
  const [path, home, etcFiles] = ['workspace', 'home', 'etc'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([
    writeEtcFiles(etcFiles),
    mkdir(join(path, outbox), { recursive: true }),
    mkdir(home, { recursive: true }),
  ])
  const limits = { maxProcesses: 10, maxMemoryMb: 64, maxDiskMb: 64 }
  const layout = { path, home, readable: [], limits, sockets: null }
  return boxArguments(layout, { system: systemArguments(), etcFiles, closed: [] })
}

/** Turns an error of bubblewrap into a reason and the remedy. */
function explain(stderr: string): { reason: string; install: string } {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  if (/unknown option/i.test(line))
    return { reason: `bubblewrap is too old (${line})`, install: 'Install bubblewrap 0.8 or newer.' }
  if (!/namespace|uid map|permission|not permitted|no space/i.test(line))
    return { reason: `bubblewrap cannot create a box here: ${line}`, install: 'See docs/box.md.' }
  const setting = settings.find(([file, forbids]) => readSetting(file) === forbids)
  return {
    reason: `user namespaces are forbidden here (${line})`,
    install:
      setting === undefined
        ? 'Allow user namespaces: in a container, run it with --security-opt seccomp=unconfined or as a privileged one.'
        : `Run "sysctl -w ${setting[2]}" as root, and add it to /etc/sysctl.d to keep it.`,
  }
}

const settings = [
  ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
  ['kernel/apparmor_restrict_unprivileged_userns', '1', 'kernel.apparmor_restrict_unprivileged_userns=0'],
  ['user/max_user_namespaces', '0', 'user.max_user_namespaces=15000'],
] as const

function readSetting(file: string): string | null {
  try {
    return readFileSync(`/proc/sys/${file}`, 'utf8').trim()
  } catch {
    return null
  }
}

function findOnPath(name: string, path: string): string | null {
  for (const directory of path.split(':').filter((each) => each !== '')) {
    try {
      accessSync(join(directory, name), constants.X_OK)
      return join(directory, name)
    } catch {
      // Not in this directory.
    }
  }
  return null
}
