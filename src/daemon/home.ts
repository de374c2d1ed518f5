import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { AgencyError, refusal } from '../kernel/errors.ts'

/**
 * Loads node:crypto on demand: every command loads this file, few need this module, and it takes a fifth of Node's own
 * start.
 */
const nodeCrypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

/** Paths of an installation. Computing them does not access the disk; `prepareHome` does. */
export interface HomePaths {
  readonly home: string
  readonly config: string
  /** The team file of tiered runs without one of their own. */
  readonly team: string
  readonly store: string
  /** Locked by the daemon while it runs; the operating system unlocks it however the daemon ends. */
  readonly owner: string
  readonly operatorToken: string
  readonly chainKey: string
  readonly daemonFile: string
  readonly socket: string
  /** The random part of the host name of this home: no other program knows it, so no cookie of ours goes elsewhere. */
  readonly hostName: string
  /** The ports that this home has used, the usual one first. */
  readonly ports: string
  /** Files that lead a browser to a sign-in link, so that the link is in no list of processes. */
  readonly links: string
  readonly logs: string
  readonly workspaces: string
  readonly attempts: string
  /** Copies of the files that agents have produced, by their hash. */
  readonly artifacts: string
  /** The directory for the sockets of boxes, with one directory for each. */
  readonly boxes: string
  /** Content of the organisation; may be a link or outside the home. */
  readonly data: string
}

type Environment = Readonly<Record<string, string | undefined>>

export function homePaths(env: Environment): HomePaths {
  const home = resolve(env['AGENCY_HOME'] || join(env['HOME'] || homedir(), '.agency'))
  return {
    home,
    config: join(home, 'config.yaml'),
    team: join(home, 'team.yaml'),
    store: join(home, 'store.db'),
    owner: join(home, 'owner.db'),
    operatorToken: join(home, 'operator.token'),
    chainKey: join(home, 'chain.key'),
    daemonFile: join(home, 'daemon.json'),
    socket: socketPath(home, env),
    hostName: join(home, 'host.name'),
    ports: join(home, 'ports.json'),
    links: join(home, 'links'),
    logs: join(home, 'logs'),
    workspaces: join(home, 'workspaces'),
    attempts: join(home, 'attempts'),
    artifacts: join(home, 'artifacts'),
    boxes: shortPath(home, env, 'boxes', longestSocket - longestInBox),
    data: resolve(env['AGENCY_DATA'] || join(home, 'data')),
  }
}

/**
 * Creates the home and its directories for the owner only. An existing home keeps its permissions, because it may be
 * shared on purpose; directories and stores in it are closed, also those that an older version has left open.
 */
export function prepareHome(paths: HomePaths): void {
  try {
    // On a read-only file system, mkdir only reports that the parent does not exist.
    accessSync(existingParent(paths.home), constants.W_OK)
    mkdirSync(paths.home, { recursive: true, mode: 0o700 })
    // Root passes every permission check except this one: a read-only mount refuses root too.
    accessSync(paths.home, constants.R_OK | constants.W_OK | constants.X_OK)
    const own = [paths.logs, paths.workspaces, paths.attempts, paths.artifacts]
    for (const path of own) mkdirSync(path, { recursive: true, mode: 0o700 })
    for (const path of [...own, join(paths.home, 'mirrors')]) close(path)
    for (const path of [paths.store, paths.owner])
      for (const suffix of ['', '-wal', '-shm', '-journal']) close(`${path}${suffix}`)
  } catch (error) {
    throw unusableHome(paths.home, error)
  }
  for (const runtime of new Set([paths.socket, paths.boxes].map((path) => dirname(path)))) {
    if (runtime === paths.home) continue
    try {
      mkdirSync(runtime, { recursive: true, mode: 0o700 })
    } catch (error) {
      throw unusableRuntime(runtime, error instanceof Error ? error.message : String(error))
    }
    checkRuntime(runtime)
  }
}

/** Returns whether other users may enter or list the home. */
export const isOpenHome = ({ home }: HomePaths): boolean =>
  ((statSync(home, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0

/** Takes the permissions of other users from a file or directory of ours, if it exists. */
function close(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isSymbolicLink() || found.uid !== process.getuid?.()) return
  if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700)
}

/**
 * Checks the socket's directory. A runtime directory outside the home is in a place where other users may write: if one
 * of them created it first, it could contain his socket, which would receive our token. Returns false if the directory
 * does not exist, so that there is no socket to look for.
 */
export function checkSocketDirectory(paths: HomePaths): boolean {
  const runtime = dirname(paths.socket)
  return runtime === paths.home || checkRuntime(runtime)
}

function checkRuntime(runtime: string): boolean {
  const found = lstatSync(runtime, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isDirectory()) throw unusableRuntime(runtime, 'it is not a directory')
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw unusableRuntime(runtime, 'another user owns it')
  if ((found.mode & 0o077) !== 0) throw unusableRuntime(runtime, 'other users may access it')
  return true
}

/**
 * Returns the secret in a file of mode 0600, which is created if it does not exist. Two processes that create it at
 * once get the same one.
 */
export function readOrCreateSecret(path: string, make: () => string | Uint8Array): Buffer {
  try {
    const found = readSecret(path)
    if (found !== null) return found
    createSecret(path, make())
    const made = readSecret(path)
    if (made !== null) return made
  } catch (error) {
    throw error instanceof AgencyError ? error : unusableHome(dirname(path), error)
  }
  throw refusal('store_unusable', `${path} disappeared while it was being created`, { hint: 'Repeat the command.' })
}

/** Reads a secret; returns null if the file does not exist. */
export function readSecret(path: string): Buffer | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600)
  const secret = readFileSync(path)
  if (secret.length > 0) return secret
  throw refusal('store_unusable', `${path} is empty`, {
    hint: 'Restore it from a backup, or delete it to have a new one created (events sealed by the old key then fail the audit).',
  })
}

function createSecret(path: string, secret: string | Uint8Array): void {
  const draft = `${path}.${nodeCrypto().randomBytes(6).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, typeof secret === 'string' ? Buffer.from(secret) : secret)
    fsyncSync(file)
    // Creating a link is atomic and never replaces an existing file: the process that loses reads the winner's secret.
    linkSync(draft, path)
    syncDirectory(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(file)
    rmSync(draft, { force: true })
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/**
 * Longest path of a socket: the system silently truncates a longer one and binds another name, because sun_path has 108
 * bytes including the final zero.
 */
const longestSocket = 107

/** Longest path below the directory of boxes: `/b` and six characters, `/forward-65535.sock`. */
const longestInBox = 30

const socketPath = (home: string, env: Environment): string => shortPath(home, env, 'agency.sock', longestSocket)

/** Returns a path in the home, or if it would be too long, in a runtime directory of this user. */
function shortPath(home: string, env: Environment, fileName: string, longest: number): string {
  const inside = join(home, fileName)
  if (Buffer.byteLength(inside) <= longest) return inside
  const hash = nodeCrypto().createHash('sha256').update(realPath(home)).digest('hex').slice(0, 24)
  const name = `${hash}.${fileName.split('.').at(-1)}`
  const configured = env['XDG_RUNTIME_DIR']
  const runtime = configured ? join(resolve(configured), 'agency', name) : ''
  if (runtime !== '' && Buffer.byteLength(runtime) <= longest) return runtime
  return join('/tmp', `agency-${process.getuid?.() ?? 0}`, name)
}

/**
 * Resolves links, so that one home has one socket by whichever link it is reached; parts that do not exist yet keep
 * their names.
 */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}

function existingParent(path: string): string {
  let parent = path
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent)
  return parent
}

function unusableHome(home: string, error: unknown): AgencyError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return refusal('store_full', `the disk that holds ${home} is full`, {
      hint: 'Free some space, then repeat the command.',
      cause: error,
    })
  const reasons: Record<string, string> = {
    EROFS: 'it is on a read-only file system',
    EACCES: 'it is not writable',
    EPERM: 'it is not writable',
    ENOTDIR: 'it is not a directory',
    EEXIST: 'it is not a directory',
  }
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error))
  return refusal('store_unusable', `the home ${home} cannot be used: ${reason}`, {
    hint: 'Set AGENCY_HOME to a writable directory.',
    cause: error,
  })
}

const unusableRuntime = (runtime: string, reason: string): AgencyError =>
  refusal('store_unusable', `the socket directory ${runtime} cannot be used: ${reason}`, {
    hint: 'Remove it, or set AGENCY_HOME to a shorter path or XDG_RUNTIME_DIR to a directory of your own.',
  })
