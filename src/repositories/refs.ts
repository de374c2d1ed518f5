import { rm, stat } from 'node:fs/promises'

import { sleep } from '../kernel/clock.ts'
import { bug } from '../kernel/errors.ts'
import { type Git, GitError } from './git.ts'

/** Makes a branch where there is none yet; resolves to where it is. */
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

/** Every commit that a branch is at: ours, and the operator's. */
export async function listHeads(git: Git, mirror: string): Promise<string[]> {
  const listed = await git.ask(['for-each-ref', '--format=%(objectname)', 'refs/heads', 'refs/source'], {
    gitDir: mirror,
  })
  return [...new Set(listed.split('\n').filter((commit) => commit !== ''))]
}

/** As input for git: what one commit has and these have not. */
export const revisionsOf = (commit: string, known: readonly string[]): string =>
  [commit, ...known.map((each) => `^${each}`)].map((line) => `${line}\n`).join('')

/** Says whether it moved: not when it is no longer where it was. Without `from` it moves from anywhere, with null it is new. */
export function moveRef(
  git: Git,
  mirror: string,
  ref: string,
  { to, from }: { to: string; from?: string | null },
): Promise<boolean> {
  const old = from === undefined ? [] : [from ?? '0'.repeat(to.length)]
  return unlocking(git, mirror, async () => {
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
  /** Null: it is new. */
  readonly from: string | null
}

/** All of them, or none where one is no longer where it was. */
export function moveRefs(git: Git, mirror: string, moves: readonly RefMove[]): Promise<boolean> {
  const lines = moves.map(({ ref, to, from }) => `update ${ref} ${to} ${from ?? '0'.repeat(to.length)}\n`)
  return unlocking(git, mirror, async () => {
    if (moves.length === 0) return true
    const args = ['update-ref', '--no-deref', '--stdin']
    const result = await git.run(args, { gitDir: mirror, input: lines.join('') })
    if (result.exitCode === 0) return true
    for (const { ref, from } of moves) if ((await readCommit(git, mirror, ref)) !== from) return false
    throw new GitError(`git update-ref: ${result.stderr.trim()}`, result)
  })
}

/** Deletes these and everything below them. */
export async function deleteRefs(git: Git, mirror: string, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0
  const listed = await git.ask(['for-each-ref', '--format=%(refname)', ...names], { gitDir: mirror })
  const refs = listed.split('\n').filter((ref) => ref !== '')
  const input = refs.map((ref) => `delete ${ref}\n`).join('')
  if (refs.length > 0)
    await unlocking(git, mirror, () => git.ask(['update-ref', '--no-deref', '--stdin'], { gitDir: mirror, input }))
  return refs.length
}

/** Locks are held for moments. One that stays was left by a git that was killed, and would stay for ever. */
export async function unlocking<T>(git: Git, mirror: string, work: () => Promise<T>): Promise<T> {
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

/** The file, '' where it is not named, null where it was something else. */
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
  if (exitCode !== 0) throw bug(`no branch can be called "${name}"`)
}
