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
  /** Where a box may be tried. */
  readonly directory: string
}

/** Whether a box can be made here, found out by making one: with the arguments of the real ones, around nothing. */
export async function detectBox({ path = process.env['PATH'], directory }: DetectOptions): Promise<BoxDetection> {
  if (process.platform !== 'linux')
    return { ok: false, reason: `${process.platform} has no bubblewrap`, install: 'Use Linux, or a Linux container.' }
  const program = findOnPath('bwrap', path ?? '')
  if (program === null)
    return { ok: false, reason: 'bubblewrap is not installed', install: 'Run "apt install bubblewrap".' }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const place = await mkdtemp(join(directory, 'p'))
  try {
    const version = (await run(program, ['--version'])).stdout.trim().split(' ').at(-1) ?? ''
    await run(program, [...(await trialArguments(place)), '--', process.execPath, '--version'])
    return { ok: true, program, version }
  } catch (error) {
    return { ok: false, ...explain(String((error as { stderr?: string }).stderr ?? (error as Error).message)) }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { timeout: 15_000, env: {} })

async function trialArguments(place: string): Promise<string[]> {
  const [path, home, furniture] = ['workspace', 'home', 'furniture'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([
    writeEtcFiles(furniture),
    mkdir(join(path, outbox), { recursive: true }),
    mkdir(home, { recursive: true }),
  ])
  const limits = { maxProcesses: 10, maxMemoryMb: 64, maxDiskMb: 64 }
  const walls = { path, home, readable: [], limits, doors: null }
  return boxArguments(walls, { system: systemArguments(), furniture, closed: [] })
}

/** What bubblewrap complains about, as what to do about it. */
function explain(complaint: string): { reason: string; install: string } {
  const said = complaint.trim().split('\n').at(-1) ?? ''
  if (/unknown option/i.test(said))
    return { reason: `bubblewrap is too old (${said})`, install: 'Install bubblewrap 0.8 or newer.' }
  if (!/namespace|uid map|permission|not permitted|no space/i.test(said))
    return { reason: `bubblewrap cannot make a box here: ${said}`, install: 'See docs/box.md.' }
  const setting = settings.find(([file, forbids]) => readSetting(file) === forbids)
  return {
    reason: `user namespaces are forbidden here (${said})`,
    install:
      setting === undefined
        ? 'Allow user namespaces: in a container, run it with --security-opt seccomp=unconfined or as a privileged one.'
        : `Run "sysctl -w ${setting[2]}" as root, and put it into /etc/sysctl.d to keep it.`,
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
