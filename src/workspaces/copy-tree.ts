import { spawn } from 'node:child_process'
import { readdir, statfs } from 'node:fs/promises'

import { refusal } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import { killGroup } from '../processes/kill-group.ts'
import { diskUseOf } from './box/disk.ts'
import { withInheritedUmask } from '../processes/umask.ts'

export interface Copy {
  readonly from: string
  /** An existing directory. */
  readonly into: string
  /** Entries of `from` that are not copied. */
  readonly except?: readonly string[]
  /** The size of `from`, if it is known: otherwise it is measured. */
  readonly sizeMb?: number
  /** The copying processes carry it as AGENCY_LAUNCH_ID: those that outlive the daemon are found by it. */
  readonly launchId: string
  readonly signal?: AbortSignal | undefined
}

/** Free space that a copy leaves to the store and to everything else on the disk. */
const reserveMb = 64

/**
 * Copies the content of a directory that an agent wrote: no link is followed, nothing special is opened, holes stay
 * holes. Files that this user may not read, and those whose paths are too long for any program, are left out; a check
 * could not read them either.
 */
export async function copyTree({ from, into, except = [], sizeMb, ...options }: Copy): Promise<void> {
  options.signal?.throwIfAborted()
  await checkSpace(into, sizeMb ?? (await diskUseOf([from])))
  // Names may have any bytes, which an argument of a Node process cannot hold.
  const names = (await readdir(from, { encoding: 'buffer' })).filter((name) => !except.includes(name.toString('utf8')))
  await copy(['-a', '--reflink=auto'], names, { from, into, ...options })
}

/** Copies files and directories, each to the same path below the other directory. */
export async function copyPaths(paths: readonly string[], options: Omit<Copy, 'except' | 'sizeMb'>): Promise<void> {
  const names = paths.map((path) => Buffer.from(path))
  await copy(['-a', '--reflink=auto', '--parents'], names, options)
}

async function copy(
  options: readonly string[],
  names: readonly Buffer[],
  { from, into, launchId, signal }: Omit<Copy, 'except' | 'sizeMb'>,
): Promise<void> {
  if (names.length === 0) return
  const input = Buffer.concat(names.flatMap((name) => [Buffer.from('./'), name, Buffer.from([0])]))
  const errors = await runCopy([...options, '-t', into, '--'], { from, input, launchId, signal })
  signal?.throwIfAborted()
  const failure = errors.find((line) => !isUnreadable(line))
  if (failure === undefined) return
  if (isFull(failure)) throw full(`the disk is full: ${shorten(failure, 300)}`)
  throw new Error(`files could not be copied: ${shorten(failure, 300)}`)
}

async function checkSpace(into: string, sizeMb: number): Promise<void> {
  const { bavail, bsize } = await statfs(into)
  const freeMb = Math.floor((bavail * bsize) / 1024 ** 2)
  const neededMb = Math.ceil(sizeMb) + reserveMb
  if (neededMb > freeMb) throw full(`a copy of files needs ${neededMb} MB of disk space, and ${freeMb} MB are free`)
}

const full = (message: string) =>
  refusal('store_full', message, { hint: 'Free some space; "agency workspace disk" shows what Agency uses.' })

const isUnreadable = (line: string): boolean =>
  /: (Permission denied|Operation not permitted|File name too long)$/.test(line)

const isFull = (line: string): boolean => /: (No space left on device|Disk quota exceeded)$/.test(line)

const keptErrorBytes = 1024 * 1024

/** Runs `cp` on the names of the input; resolves to the lines of its errors once it has exited. */
function runCopy(
  options: readonly string[],
  { from, input, launchId, signal }: Pick<Copy, 'from' | 'launchId' | 'signal'> & { readonly input: Buffer },
): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  const child = withInheritedUmask(() =>
    spawn('xargs', ['-0', 'cp', ...options], {
      cwd: from,
      env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', AGENCY_LAUNCH_ID: launchId },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    }),
  )
  const abort = (): void => void killGroup(child.pid)
  signal?.addEventListener('abort', abort)
  const errors: Buffer[] = []
  let kept = 0
  child.stderr.on('data', (chunk: Buffer) => {
    if (kept < keptErrorBytes) errors.push(chunk)
    kept += chunk.length
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  child.once('error', reject)
  child.once('close', (exitCode, killedBy) => {
    signal?.removeEventListener('abort', abort)
    const lines = Buffer.concat(errors)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
    if (kept > keptErrorBytes) lines.push('cp: more errors than can be kept')
    if (exitCode !== 0 && lines.length === 0) lines.push(`cp: exit ${killedBy ?? exitCode}`)
    resolve(lines)
  })
  return promise
}
