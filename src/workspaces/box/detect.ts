import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { systemClock } from '../../kernel/clock.ts'
import { outbox } from '../path.ts'
import { startInWorkspace } from '../process.ts'
import { createBox } from './box.ts'
import { machineHere } from './filter.ts'
import { findPerl } from './system.ts'

export type BoxDetection =
  | { readonly ok: true; readonly program: string; readonly version: string }
  | { readonly ok: false; readonly reason: string; readonly install: string }

interface DetectOptions {
  readonly path?: string | undefined
  /** The directory for the trial box. */
  readonly directory: string
}

/**
 * Detects whether this machine can create a box, by creating one as the real ones are and looking around in it: a box
 * whose command could reach init would be none.
 */
export async function detectBox({ path = process.env['PATH'], directory }: DetectOptions): Promise<BoxDetection> {
  if (process.platform !== 'linux')
    return { ok: false, reason: `${process.platform} has no bubblewrap`, install: 'Use Linux, or a Linux container.' }
  if (machineHere() === null)
    return { ok: false, reason: `no box is known for ${process.arch}`, install: 'Use a machine with x64 or arm64.' }
  const program = findOnPath('bwrap', path ?? '')
  if (program === null)
    return { ok: false, reason: 'bubblewrap is not installed', install: 'Run "apt install bubblewrap".' }
  if (findPerl() === null)
    return { ok: false, reason: 'Perl is not installed', install: 'Run "apt install perl-base".' }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(directory, 'p'))
  try {
    const version = (await promisify(execFile)(program, ['--version'], { timeout: 15_000, env: {} })).stdout
    await tryBox(program, folder)
    return { ok: true, program, version: version.trim().split(' ').at(-1) ?? '' }
  } catch (error) {
    return { ok: false, ...explain(String((error as { stderr?: string }).stderr ?? (error as Error).message)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tryBox(program: string, folder: string): Promise<void> {
  const [path, home, directory] = ['workspace', 'home', 'boxes'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([directory, home, join(path, outbox)].map((each) => mkdir(each, { recursive: true })))
  const box = await createBox({ program, directory, connect: null, closed: [], clock: systemClock })
  const limits = { maxProcesses: 10, maxMemoryMb: 256, maxDiskMb: 64 }
  const policy = { network: { allowed: false, allow: [], block: [] }, limits }
  const inside = await startInWorkspace(
    { enter: box.enter({ path, home, policy }) },
    { command: ['/bin/sh', '-c', trial, process.execPath], environment: {}, offline: true },
    ['ignore', 'ignore', 'pipe'],
  )
  let errors = ''
  inside.child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  const cancel = systemClock.after(15_000, () => inside.signal('SIGKILL'))
  const { exitCode, signal } = await inside.exited
  cancel()
  await inside.leave()
  if (exitCode !== 0) throw new Error(errors.trim() || `a trial in the box ended with ${signal ?? exitCode}`)
}

/** The command must have no capability, be filtered, and not be allowed to look into init; and Node must run. */
const trial = `
while read -r name value; do
  case $name in
    CapInh:|CapPrm:|CapEff:|CapBnd:|CapAmb:) [ "$value" = 0000000000000000 ] || lacking="$lacking $name$value" ;;
    NoNewPrivs:) [ "$value" = 1 ] || lacking="$lacking $name$value" ;;
    Seccomp:) [ "$value" = 2 ] || lacking="$lacking $name$value" ;;
  esac
done </proc/self/status
cat /proc/1/environ >/dev/null 2>&1 && lacking="$lacking init is open"
[ -z "$lacking" ] || { echo "a command in the box keeps rights:$lacking" >&2; exit 1; }
exec "$0" --version
`

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
