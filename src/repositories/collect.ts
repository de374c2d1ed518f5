import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { bug, refusal } from '../kernel/errors.ts'
import type { Workspace } from '../workspaces/port.ts'
import type { Author } from './author.ts'
import { changedFiles, type ChangedFile, type Commit, listCommits } from './changes.ts'
import { copyIfExists } from './copy.ts'
import { errorLine, type Git, isFull, gitError } from './git.ts'
import { plainFetch } from './safe-git-config.ts'
import { inspectCommits } from './inspect-commits.ts'
import { isAncestor } from './merge.ts'
import { packWork } from './pack.ts'
import { deleteRefs, listHeads, moveRef, readCommit, retryLocked } from './refs.ts'

export interface Collection {
  readonly mirror: string
  readonly workspace: Workspace
  /** The commit from which the clone started. */
  readonly start: string
  /** The commit message for uncommitted files. */
  readonly message: string
  readonly author: Author
  readonly limits?: CollectionLimits
  /** The name under which it waits in the mirror for promotion, such as the attempt's id; its processes carry it too. */
  readonly ref: string
  readonly signal?: AbortSignal | undefined
  /** Returns why the changed files are refused; the commits are in `repository` and not in the mirror yet. */
  readonly refuses?: (repository: string, commit: string) => Promise<string | null>
  /**
   * A last check, for example for secrets, in a repository that has the commit while the mirror does not have it yet.
   * Commits of `known` are the work of others, which was checked when it came in.
   */
  readonly accepts?: (repository: string, commit: string, known: readonly string[]) => Promise<boolean>
}

export interface CollectionLimits {
  /** The total size of all files in its commits, unpacked. */
  readonly maxBytes?: number
  readonly timeoutMs?: number
}

export type Collected =
  | {
      readonly outcome: 'collected'
      readonly commit: string
      readonly files: readonly ChangedFile[]
      readonly commits: readonly Commit[]
    }
  | { readonly outcome: 'empty' }
  /** `accepts` returned false. */
  | { readonly outcome: 'withheld' }
  /** The agent receives `why`; `files` are the files concerned. */
  | { readonly outcome: 'refused'; readonly why: string; readonly files: readonly string[] }

const megabyte = 1024 ** 2
const maxCollectedBytes = 200 * megabyte
const packingMs = 5 * 60_000

/**
 * Brings the work of an agent from its clone into the mirror, where it waits at `refs/agency/incoming/<ref>`. Only its
 * objects are transferred, as one pack that git creates in the box: the daemon's git never reads the clone's
 * configuration, links or borrowed objects. They are inspected beside the mirror, and refused work never enters it.
 */
export async function collect(git: Git, collection: Collection): Promise<Collected> {
  const { mirror, start, ref, limits } = collection
  return inQuarantine(git, collection, async (quarantine, commit) => {
    if (commit === start) return { outcome: 'empty' }
    if (!(await isAncestor(git, quarantine, start, commit)))
      return refused('history was rewritten: the work must descend from the commit at which it started')
    const known = [start, ...(await listHeads(git, mirror))]
    const own = { start, commit, known }
    const rejection = await inspectCommits(git, quarantine, own, limits?.maxBytes ?? maxCollectedBytes)
    if (rejection !== null) return refused(rejection.why, rejection.files)
    const files = await changedFiles(git, quarantine, start, commit)
    if (files.length === 0) return { outcome: 'empty' }
    const why = (await collection.refuses?.(quarantine, commit)) ?? null
    if (why !== null) return refused(why)
    if ((await collection.accepts?.(quarantine, commit, known)) === false) return { outcome: 'withheld' }
    await admit(git, quarantine, mirror, incomingRef(ref))
    return { outcome: 'collected', commit, files, commits: await listCommits(git, mirror, start, commit) }
  })
}

/** Moves the branch to a collected commit; a second call does nothing. */
export async function promote(git: Git, mirror: string, ref: string, branch: string): Promise<string> {
  const waiting = await readCommit(git, mirror, incomingRef(ref))
  if (waiting !== null) await moveRef(git, mirror, `refs/heads/${branch}`, { to: waiting })
  await discard(git, mirror, ref)
  const commit = waiting ?? (await readCommit(git, mirror, `refs/heads/${branch}`))
  if (commit === null) throw bug(`no collected commit is named "${ref}"`)
  return commit
}

/** Discards a collected commit. */
export const discard = async (git: Git, mirror: string, ref: string): Promise<void> =>
  void (await deleteRefs(git, mirror, [incomingRef(ref)]))

/**
 * Keeps the content of a clone before it is removed, at `refs/agency/snapshots/<ref>`. Null if the branches already have
 * all of it. Content that cannot be kept (too large, broken, with a secret) is refused: the caller decides about the
 * removal.
 */
export async function snapshot(git: Git, collection: Collection): Promise<string | null> {
  const kept = await inQuarantine(git, collection, async (quarantine, commit) => {
    if (commit === collection.start || (await isOnBranch(git, collection.mirror, commit))) return { outcome: 'empty' }
    const known = [collection.start, ...(await listHeads(git, collection.mirror))]
    if ((await collection.accepts?.(quarantine, commit, known)) === false) return { outcome: 'withheld' }
    await admit(git, quarantine, collection.mirror, snapshotRef(collection.ref))
    return { outcome: 'collected', commit, files: [], commits: [] }
  })
  if (kept.outcome === 'refused') throw refusal('conflict', `the content of the clone cannot be kept: ${kept.why}`)
  if (kept.outcome === 'withheld')
    throw refusal('conflict', 'the content of the clone cannot be kept: it contains a possible secret')
  return kept.outcome === 'collected' ? kept.commit : null
}

async function isOnBranch(git: Git, mirror: string, commit: string): Promise<boolean> {
  if ((await readCommit(git, mirror, commit)) === null) return false
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, '--format=%(refname)', 'refs/heads']
  return (await git.ask(args, { gitDir: mirror })) !== ''
}

export const incomingRef = (ref: string): string => `refs/agency/incoming/${ref}`
export const snapshotRef = (ref: string): string => `refs/agency/snapshots/${ref}`

const refused = (why: string, files: readonly string[] = []): Collected => ({ outcome: 'refused', why, files })

/**
 * Runs an inspection in a temporary repository: it borrows objects from the mirror, and is removed with all incoming
 * ones.
 */
async function inQuarantine(
  git: Git,
  collection: Collection,
  inspect: (quarantine: string, commit: string) => Promise<Collected>,
): Promise<Collected> {
  const { mirror, start, limits, signal } = collection
  const maxBytes = limits?.maxBytes ?? maxCollectedBytes
  const quarantine = await mkdtemp(`${mirror}.incoming-`)
  try {
    await writeQuarantine(quarantine, mirror, start)
    const pack = join(quarantine, 'incoming.pack')
    const packed = await packWork({
      ...collection,
      into: pack,
      maxBytes,
      timeoutMs: limits?.timeoutMs ?? packingMs,
      clock: git.clock,
    })
    if (packed.outcome !== 'packed') return packed.outcome === 'refused' ? refused(packed.why) : packed
    const broken = await index(git, quarantine, pack, maxBytes, signal)
    if (broken !== null) return refused(broken)
    if ((await readCommit(git, quarantine, packed.commit)) !== packed.commit)
      return refused('the commits are incomplete')
    await writeFile(join(quarantine, 'refs', 'heads', 'incoming'), `${packed.commit}\n`)
    const isWhole = await git.run(['rev-list', '--quiet', '--objects', packed.commit, '--not', start], {
      gitDir: quarantine,
      signal,
    })
    if (isWhole.exitCode !== 0) return refused(`the commits are incomplete: ${errorLine(isWhole.stderr) ?? ''}`)
    return await inspect(quarantine, packed.commit)
  } finally {
    await rm(quarantine, { recursive: true, force: true })
  }
}

async function writeQuarantine(quarantine: string, mirror: string, start: string): Promise<void> {
  for (const folder of [join('objects', 'info'), join('objects', 'pack'), join('refs', 'heads')])
    await mkdir(join(quarantine, folder), { recursive: true })
  await Promise.all([
    writeFile(join(quarantine, 'HEAD'), 'ref: refs/heads/nowhere\n'),
    writeFile(join(quarantine, 'refs', 'heads', 'start'), `${start}\n`),
    writeFile(join(quarantine, 'objects', 'info', 'alternates'), `${join(mirror, 'objects')}\n`),
    copyIfExists(join(mirror, 'config'), join(quarantine, 'config')),
    copyIfExists(join(mirror, 'shallow'), join(quarantine, 'shallow')),
  ])
}

/** Enough memory for several times the largest permitted file; not for one that is small only while packed. */
const memoryFor = (maxBytes: number): number => 1_536 * megabyte + 4 * maxBytes

/** Checks every object; resolves to their fault, or null. */
async function index(
  git: Git,
  quarantine: string,
  pack: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const file = await open(pack, 'r')
  try {
    const args = ['index-pack', '--stdin', '--fix-thin', '--strict', '--threads=1']
    const result = await git.run(args, {
      gitDir: quarantine,
      inputFd: file.fd,
      maxMemoryBytes: memoryFor(maxBytes),
      signal,
    })
    if (result.exitCode === 0) return null
    // A full disk is a fault of the machine, not of the agent.
    if (isFull(result.stderr)) throw gitError(args, result)
    return `the commits are damaged: ${errorLine(result.stderr) ?? `exit code ${result.exitCode}`}`
  } finally {
    await file.close()
  }
}

/**
 * Fetches from the quarantine into the mirror, both of them the daemon's own repositories. The box has searched for
 * differences to store: a second search would find none.
 */
const admit = (git: Git, quarantine: string, mirror: string, ref: string): Promise<unknown> =>
  retryLocked(git, mirror, () =>
    git.ask(
      [...plainFetch, '--upload-pack=git -c pack.window=0 upload-pack', quarantine, `+refs/heads/incoming:${ref}`],
      {
        gitDir: mirror,
        environment: { GIT_ALLOW_PROTOCOL: 'file' },
      },
    ),
  )
