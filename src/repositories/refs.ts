import { rm, stat } from 'node:fs/promises'

import { sleep } from '../kernel/clock.ts'
import { bug } from '../kernel/errors.ts'
import { type Git, GitError } from './git.ts'

/** Creates a branch if it does not exist yet; resolves to its commit. */
export async function makeBranch(git: Git, mirror: string, name: string, commit: string): Promise<string> {
  await checkName(git, name)
  const there = await readBranch(git, mirror, name)
  if (there !== null) return there
  await moveRef(git, mirror, `refs/heads/${name}`, { to: commit, from: null })
  return (await readBranch(git, mirror, name)) ?? commit
}

export const readBranch = (git: Git, mirror: string, name: string): Promise<string | null> =>
  readCommit(git, mirror, `refs/heads/${name}`)

export async function readCommit(git: Git, mirror: string, name: string): Promise<string | null> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`]
  const { exitCode, stdout } = await git.run(args, { gitDir: mirror })
  return exitCode === 0 ? stdout.toString('utf8').trim() : null
}

/** Lists the commits of all branches: the mirror's own and the operator's. */
export async function listHeads(git: Git, mirror: string): Promise<string[]> {
  const listed = await git.ask(['for-each-ref', '--format=%(objectname)', 'refs/heads', 'refs/source'], {
    gitDir: mirror,
  })
  return [...new Set(listed.split('\n').filter((commit) => commit !== ''))]
}

/** Returns the input for git that selects the history of `commit` without that of `known`. */
export const revisionsOf = (commit: string, known: readonly string[]): string =>
  [commit, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join('')

/**
 * Moves a ref; resolves to false if it is no longer at `from`. Without `from` it moves from any commit, with null it
 * must be new.
 */
export function moveRef(
  git: Git,
  mirror: string,
  ref: string,
  { to, from }: { to: string; from?: string | null },
): Promise<boolean> {
  const old = from === undefined ? [] : [from ?? '0'.repeat(to.length)]
  return retryLocked(git, mirror, async () => {
    const args = ['update-ref', '--no-deref', ref, to, ...old]
    const result = await git.run(args, { gitDir: mirror })
    if (result.exitCode === 0) return true
    if (from !== undefined && (await readCommit(git, mirror, ref)) !== from) return false
    throw new GitError(`git update-ref ${ref}: ${result.stderr.trim()}`, result)
  })
}

export interface RefMove {
  readonly ref: string
  readonly to: string
  /** Null: the ref must be new. */
  readonly from: string | null
}

/** Moves all refs, or none if one is no longer at its `from`. */
export function moveRefs(git: Git, mirror: string, moves: readonly RefMove[]): Promise<boolean> {
  const lines = moves.map(({ ref, to, from }) => `update ${ref} ${to} ${from ?? '0'.repeat(to.length)}\n`)
  return retryLocked(git, mirror, async () => {
    if (moves.length === 0) return true
    const args = ['update-ref', '--no-deref', '--stdin']
    const result = await git.run(args, { gitDir: mirror, input: lines.join('') })
    if (result.exitCode === 0) return true
    for (const { ref, from } of moves) if ((await readCommit(git, mirror, ref)) !== from) return false
    throw new GitError(`git update-ref: ${result.stderr.trim()}`, result)
  })
}

/** Deletes refs and everything below them. */
export async function deleteRefs(git: Git, mirror: string, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0
  const listed = await git.ask(['for-each-ref', '--format=%(refname)', ...names], { gitDir: mirror })
  const refs = listed.split('\n').filter((ref) => ref !== '')
  const input = refs.map((ref) => `delete ${ref}\n`).join('')
  if (refs.length > 0)
    await retryLocked(git, mirror, () => git.ask(['update-ref', '--no-deref', '--stdin'], { gitDir: mirror, input }))
  return refs.length
}

/**
 * Retries work that finds a lock. Locks are held for moments; an old one was left by a git that was killed, and would
 * never be released.
 */
export async function retryLocked<T>(git: Git, mirror: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      const lock = error instanceof GitError ? lockOf(error.stderr) : null
      if (lock === null || tries > maxTries) throw error
      if (lock !== '' && lock.startsWith(mirror)) await removeStale(git, lock)
      await sleep(git.clock, 25 * tries)
    }
  }
}

const maxTries = 30
const staleMs = 10_000

/** Returns the lock file, '' if it is not named, null for any other error. */
function lockOf(stderr: string): string | null {
  const named = /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1]
  return named ?? (/cannot lock ref|could not lock|unable to lock/i.test(stderr) ? '' : null)
}

async function removeStale(git: Git, lock: string): Promise<void> {
  const madeMs = await stat(lock).then(
    (found) => found.mtimeMs,
    () => Infinity,
  )
  if (git.clock.nowMs() - madeMs > staleMs) await rm(lock, { force: true })
}

async function checkName(git: Git, name: string): Promise<void> {
  const { exitCode } = await git.run(['check-ref-format', `refs/heads/${name}`], { cwd: '/' })
  if (exitCode !== 0) throw bug(`"${name}" is not a valid branch name`)
}
