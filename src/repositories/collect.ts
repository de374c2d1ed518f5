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
import { deleteRefs, listHeads, moveRef, readCommit, unlocking } from './refs.ts'

export interface Collection {
  readonly mirror: string
  readonly workspace: Workspace
  /** Where the clone began. */
  readonly start: string
  /** For what the agent left uncommitted. */
  readonly message: string
  readonly author: Author
  readonly limits?: CollectionLimits
  /** Under which name it waits in the mirror to be promoted: the attempt's id, for one. */
  readonly ref: string
  /**
   * A last look, at a repository that has the commit while the mirror has not: for secrets, for one. What `known` has is
   * others' work, which was looked at when it came in.
   */
  readonly accepts?: (repository: string, commit: string, known: readonly string[]) => Promise<boolean>
}

export interface CollectionLimits {
  /** Of all files that its commits bring, as they are on disk. */
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
  /** `accepts` said no. */
  | { readonly outcome: 'withheld' }
  /** `why` is told to the agent; `files` are those it is about. */
  | { readonly outcome: 'refused'; readonly why: string; readonly files: readonly string[] }

const megabyte = 1024 ** 2
const maxCollectedBytes = 200 * megabyte
const packingMs = 5 * 60_000

/**
 * Brings what an agent did in its clone into the mirror, where it waits at `refs/agency/incoming/<ref>`. Only its objects
 * come, as one pack that git makes in the box: neither the clone's configuration, nor its links, nor its borrowed objects
 * are ever seen by a git of ours. They are looked at beside the mirror, and what is refused never gets into it.
 */
export async function collect(git: Git, collection: Collection): Promise<Collected> {
  const { mirror, start, ref, limits } = collection
  return quarantined(git, collection, async (quarantine, commit) => {
    if (commit === start) return { outcome: 'empty' }
    if (!(await isAncestor(git, quarantine, start, commit)))
      return refused('history was rewritten: the work must build on the commit that it began with')
    const known = [start, ...(await listHeads(git, mirror))]
    const own = { start, commit, known }
    const complaint = await inspectCommits(git, quarantine, own, limits?.maxBytes ?? maxCollectedBytes)
    if (complaint !== null) return refused(complaint.why, complaint.files)
    const files = await changedFiles(git, quarantine, start, commit)
    if (files.length === 0) return { outcome: 'empty' }
    if ((await collection.accepts?.(quarantine, commit, known)) === false) return { outcome: 'withheld' }
    await admit(git, quarantine, mirror, incomingRef(ref))
    return { outcome: 'collected', commit, files, commits: await listCommits(git, mirror, start, commit) }
  })
}

/** Makes a collected commit the branch's; the second time, nothing is left to do. */
export async function promote(git: Git, mirror: string, ref: string, branch: string): Promise<string> {
  const waiting = await readCommit(git, mirror, incomingRef(ref))
  if (waiting !== null) await moveRef(git, mirror, `refs/heads/${branch}`, { to: waiting })
  await discard(git, mirror, ref)
  const commit = waiting ?? (await readCommit(git, mirror, `refs/heads/${branch}`))
  if (commit === null) throw bug(`nothing was collected as "${ref}"`)
  return commit
}

/** What nobody wants after all. */
export const discard = async (git: Git, mirror: string, ref: string): Promise<void> =>
  void (await deleteRefs(git, mirror, [incomingRef(ref)]))

/**
 * Keeps what is in a clone before it is removed, at `refs/agency/snapshots/<ref>`. Null where there is nothing that no
 * branch has. What cannot be kept there (too large, broken, a secret in it) is refused: whoever removes it decides.
 */
export async function snapshot(git: Git, collection: Collection): Promise<string | null> {
  const kept = await quarantined(git, collection, async (quarantine, commit) => {
    if (commit === collection.start || (await isOnBranch(git, collection.mirror, commit))) return { outcome: 'empty' }
    const known = [collection.start, ...(await listHeads(git, collection.mirror))]
    if ((await collection.accepts?.(quarantine, commit, known)) === false) return { outcome: 'withheld' }
    await admit(git, quarantine, collection.mirror, snapshotRef(collection.ref))
    return { outcome: 'collected', commit, files: [], commits: [] }
  })
  if (kept.outcome === 'refused') throw refusal('conflict', `what is in the clone cannot be kept: ${kept.why}`)
  if (kept.outcome === 'withheld')
    throw refusal('conflict', 'what is in the clone cannot be kept: there is what looks like a secret in it')
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

/** A repository for one look: it borrows from the mirror, and goes with everything that came into it. */
async function quarantined(
  git: Git,
  collection: Collection,
  look: (quarantine: string, commit: string) => Promise<Collected>,
): Promise<Collected> {
  const { mirror, start, limits } = collection
  const maxBytes = limits?.maxBytes ?? maxCollectedBytes
  const quarantine = await mkdtemp(`${mirror}.incoming-`)
  try {
    await layOut(quarantine, mirror, start)
    const pack = join(quarantine, 'incoming.pack')
    const packed = await packWork({
      ...collection,
      into: pack,
      maxBytes,
      timeoutMs: limits?.timeoutMs ?? packingMs,
      clock: git.clock,
    })
    if (packed.outcome !== 'packed') return packed.outcome === 'refused' ? refused(packed.why) : packed
    const broken = await index(git, quarantine, pack, maxBytes)
    if (broken !== null) return refused(broken)
    if ((await readCommit(git, quarantine, packed.commit)) !== packed.commit)
      return refused('its commits are incomplete')
    await writeFile(join(quarantine, 'refs', 'heads', 'incoming'), `${packed.commit}\n`)
    const isWhole = await git.run(['rev-list', '--quiet', '--objects', packed.commit, '--not', start], {
      gitDir: quarantine,
    })
    if (isWhole.exitCode !== 0) return refused(`its commits are incomplete: ${errorLine(isWhole.stderr) ?? ''}`)
    return await look(quarantine, packed.commit)
  } finally {
    await rm(quarantine, { recursive: true, force: true })
  }
}

async function layOut(quarantine: string, mirror: string, start: string): Promise<void> {
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

/** Enough for any file that the limit lets through, several times; not for one that only pretends to be small. */
const memoryFor = (maxBytes: number): number => 1_536 * megabyte + 4 * maxBytes

/** Checks every object; says what is wrong with them, or null. */
async function index(git: Git, quarantine: string, pack: string, maxBytes: number): Promise<string | null> {
  const file = await open(pack, 'r')
  try {
    const args = ['index-pack', '--stdin', '--fix-thin', '--strict', '--threads=1']
    const result = await git.run(args, {
      gitDir: quarantine,
      inputFd: file.fd,
      maxMemoryBytes: memoryFor(maxBytes),
    })
    if (result.exitCode === 0) return null
    // That is nobody's fault but the machine's.
    if (isFull(result.stderr)) throw gitError(args, result)
    return `its commits are damaged: ${errorLine(result.stderr) ?? `exit code ${result.exitCode}`}`
  } finally {
    await file.close()
  }
}

/** From one repository of ours to another. */
const admit = (git: Git, quarantine: string, mirror: string, ref: string): Promise<unknown> =>
  unlocking(git, mirror, () =>
    git.ask([...plainFetch, quarantine, `+refs/heads/incoming:${ref}`], {
      gitDir: mirror,
      environment: { GIT_ALLOW_PROTOCOL: 'file' },
    }),
  )
