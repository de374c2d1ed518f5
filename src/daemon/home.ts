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

/** Every command line loads this file, few of them need this module, and it takes a fifth of Node's own start. */
const nodeCrypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')

/** Where an installation keeps everything. Nothing here touches the disk; `prepareHome` does. */
export interface HomePaths {
  readonly home: string
  readonly config: string
  /** The team of tiered runs that bring none. */
  readonly team: string
  readonly store: string
  /** Locked by the daemon as long as it lives; the kernel unlocks it whatever kills the daemon. */
  readonly owner: string
  readonly operatorToken: string
  readonly chainKey: string
  readonly daemonFile: string
  readonly socket: string
  readonly logs: string
  readonly workspaces: string
  readonly attempts: string
  /** Where the sockets of boxes are made, one directory for each. */
  readonly boxes: string
  /** Content of the organisation; may be a link, and may lie elsewhere. */
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
    logs: join(home, 'logs'),
    workspaces: join(home, 'workspaces'),
    attempts: join(home, 'attempts'),
    boxes: shortPlace(home, env, 'boxes', longestSocket - longestInBox),
    data: resolve(env['AGENCY_DATA'] || join(home, 'data')),
  }
}

/** Makes the home and its directories, for us alone. A home that is there already keeps its own permissions. */
export function prepareHome(paths: HomePaths): void {
  try {
    // Below a read-only file system, mkdir only says that the parent is not there.
    accessSync(existingParent(paths.home), constants.W_OK)
    mkdirSync(paths.home, { recursive: true, mode: 0o700 })
    // Root passes every permission check but this one: a read-only mount says no to it too.
    accessSync(paths.home, constants.R_OK | constants.W_OK | constants.X_OK)
    for (const path of [paths.logs, paths.workspaces, paths.attempts]) mkdirSync(path, { recursive: true, mode: 0o700 })
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

/**
 * A runtime directory outside the home lies where others may write: one that somebody else made first could hold his
 * socket, and our token would go to him. True where a socket may be looked for at all.
 */
export function checkSocketPlace(paths: HomePaths): boolean {
  const runtime = dirname(paths.socket)
  return runtime === paths.home || checkRuntime(runtime)
}

function checkRuntime(runtime: string): boolean {
  const found = lstatSync(runtime, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isDirectory()) throw unusableRuntime(runtime, 'it is not a directory')
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw unusableRuntime(runtime, 'somebody else owns it')
  if ((found.mode & 0o077) !== 0) throw unusableRuntime(runtime, 'others may enter it')
  return true
}

/** The secret in a file of mode 0600, made if there is none. Of two processes that make it at once, both get the same. */
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
  throw refusal('store_unusable', `${path} vanished while it was being made`, { hint: 'Repeat the command.' })
}

/** Null when there is none. */
export function readSecret(path: string): Buffer | null {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600)
  const secret = readFileSync(path)
  if (secret.length > 0) return secret
  throw refusal('store_unusable', `${path} is empty`, {
    hint: 'Restore it from a copy, or delete it and a new one is made (events sealed by the old key then fail the audit).',
  })
}

function createSecret(path: string, secret: string | Uint8Array): void {
  const draft = `${path}.${nodeCrypto().randomBytes(6).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, typeof secret === 'string' ? Buffer.from(secret) : secret)
    fsyncSync(file)
    // A link appears whole or not at all, and never over a file that is there: the loser finds the winner's secret.
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

/** The system silently cuts a longer one off and binds another name: sun_path holds 108 bytes with the final zero. */
const longestSocket = 107

/** What is added to the directory of boxes: `/b` and six characters, `/forward-65535.sock`. */
const longestInBox = 30

const socketPath = (home: string, env: Environment): string => shortPlace(home, env, 'agency.sock', longestSocket)

/** In the home, or where its name would be too long for that, in a directory of ours elsewhere. */
function shortPlace(home: string, env: Environment, usual: string, longest: number): string {
  const inside = join(home, usual)
  if (Buffer.byteLength(inside) <= longest) return inside
  const hash = nodeCrypto().createHash('sha256').update(realPath(home)).digest('hex').slice(0, 24)
  const name = `${hash}.${usual.split('.').at(-1)}`
  const given = env['XDG_RUNTIME_DIR']
  const runtime = given ? join(resolve(given), 'agency', name) : ''
  if (runtime !== '' && Buffer.byteLength(runtime) <= longest) return runtime
  return join('/tmp', `agency-${process.getuid?.() ?? 0}`, name)
}

/** One home has one socket, by whichever link it is reached; what does not exist yet keeps its name. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), path.slice(parent.length))
  }
}

function existingParent(path: string): string {
  let place = path
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return place
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
    EACCES: 'it may not be written',
    EPERM: 'it may not be written',
    ENOTDIR: 'it is not a directory',
    EEXIST: 'it is not a directory',
  }
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error))
  return refusal('store_unusable', `the home ${home} cannot be used: ${reason}`, {
    hint: 'Point AGENCY_HOME at a directory that you may write to.',
    cause: error,
  })
}

const unusableRuntime = (runtime: string, reason: string): AgencyError =>
  refusal('store_unusable', `the socket directory ${runtime} cannot be used: ${reason}`, {
    hint: 'Remove it, or set AGENCY_HOME to a shorter path or XDG_RUNTIME_DIR to a directory of your own.',
  })
