import { bug, refusal } from '../kernel/errors.ts'
import { type Author, authorEnvironment, engineAuthor } from './author.ts'
import { type Git, gitError } from './git.ts'
import { isAgencyPath } from './paths.ts'
import { moveRef, moveRefs, readBranch, readCommit, type RefMove } from './refs.ts'

export interface Merge extends MergeMessage {
  readonly mirror: string
  /** A branch or a commit. */
  readonly from: string
  /** The branch that moves. */
  readonly into: string
}

export interface MergeMessage {
  readonly message: string
  readonly trailers?: Readonly<Record<string, string>>
  readonly author?: Author
}

/** Merges a commit into a chain of branches: each is merged with the result of the one before it. */
export interface MergeUp {
  readonly mirror: string
  readonly commit: string
  readonly levels: readonly MergeLevel[]
}

export interface MergeLevel extends MergeMessage {
  readonly branch: string
  /** The first commit of the branch if it does not exist yet. */
  readonly begin: string
}

export interface Merged {
  readonly outcome: 'merged' | 'already' | 'conflict'
  /** The commit of `into` now. */
  readonly commit: string
  /** The files in conflict; otherwise empty. */
  readonly files: readonly string[]
}

/** How often another merge may win the race: each loser merges again, with the winner's result. */
const maxRaces = 20

/** Merges two branches without a working tree: drivers and filters that a tree names have no file to run on. */
export async function mergeBranches(git: Git, merge: Merge): Promise<Merged> {
  for (let race = 0; race < maxRaces; race += 1) {
    const merged = await mergeOnce(git, merge)
    if (merged !== null) return merged
  }
  throw raceLost(merge.into)
}

/** Moves all branches or none: a conflict further up leaves no partial merge. */
export async function mergeUp(git: Git, { mirror, commit, levels }: MergeUp): Promise<Merged> {
  for (let race = 0; race < maxRaces; race += 1) {
    const moves: RefMove[] = []
    let outcome: Merged['outcome'] = 'already'
    let theirs = commit
    for (const level of levels) {
      const there = await readBranch(git, mirror, level.branch)
      const joined = await mergeCommits(git, mirror, there ?? level.begin, theirs, level)
      if (joined.outcome === 'conflict') return joined
      if (joined.outcome === 'merged') outcome = 'merged'
      theirs = joined.commit
      if (theirs !== there) moves.push({ ref: `refs/heads/${level.branch}`, to: theirs, from: there })
    }
    if (await moveRefs(git, mirror, moves)) return { outcome, commit: theirs, files: [] }
  }
  throw raceLost(levels.map(({ branch }) => branch).join(', '))
}

const raceLost = (branch: string) => bug(`the branch "${branch}" was moved by ${maxRaces} other merges in a row`)

async function mergeOnce(git: Git, merge: Merge): Promise<Merged | null> {
  const { mirror, into } = merge
  const [ours, theirs] = await Promise.all([readBranch(git, mirror, into), readSource(git, merge)])
  if (ours === null) throw bug(`the branch "${into}" to merge into does not exist`)
  if (theirs === null) throw bug(`the branch or commit "${merge.from}" to merge does not exist`)
  const joined = await mergeCommits(git, mirror, ours, theirs, merge)
  if (joined.outcome !== 'merged') return joined
  const moved = await moveRef(git, mirror, `refs/heads/${into}`, { to: joined.commit, from: ours })
  return moved ? joined : null
}

/** Creates the merge commit; no ref points to it yet. */
async function mergeCommits(
  git: Git,
  mirror: string,
  ours: string,
  theirs: string,
  message: MergeMessage,
): Promise<Merged> {
  if (await isAncestor(git, mirror, theirs, ours)) return { outcome: 'already', commit: ours, files: [] }
  const joined = await mergeTrees(git, mirror, ours, theirs)
  if (joined.conflicts !== null) return { outcome: 'conflict', commit: ours, files: joined.conflicts }
  await refuseAgencyFiles(git, mirror, joined.tree)
  const commit = await git.ask(['commit-tree', joined.tree, '-p', ours, '-p', theirs], {
    gitDir: mirror,
    input: messageOf(message),
    environment: authorEnvironment(message.author ?? engineAuthor, git.clock),
  })
  return { outcome: 'merged', commit, files: [] }
}

const readSource = async (git: Git, { mirror, from }: Merge): Promise<string | null> =>
  (await readBranch(git, mirror, from)) ?? (/^[0-9a-f]{40,64}$/.test(from) ? readCommit(git, mirror, from) : null)

/** Reports whether one commit is an ancestor of another; a missing commit is not an ancestor. */
export async function isAncestor(git: Git, mirror: string, ancestor: string, commit: string): Promise<boolean> {
  const { exitCode } = await git.run(['merge-base', '--is-ancestor', ancestor, commit], { gitDir: mirror })
  return exitCode === 0
}

async function mergeTrees(
  git: Git,
  mirror: string,
  ours: string,
  theirs: string,
): Promise<{ tree: string; conflicts: string[] | null }> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs]
  const result = await git.run(args, { gitDir: mirror })
  if (result.exitCode > 1) throw tooOld(result.stderr) ?? gitError(args, result)
  const [tree = '', ...names] = result.stdout.toString('utf8').split('\0')
  const conflicts = [...new Set(names.filter((name) => name !== ''))]
  return { tree, conflicts: result.exitCode === 0 ? null : conflicts }
}

const tooOld = (stderr: string) =>
  /^usage: git merge-tree/m.test(stderr)
    ? refusal('unsupported', 'git is too old to merge without a working tree', { hint: 'Install git 2.38 or newer' })
    : null

async function refuseAgencyFiles(git: Git, mirror: string, tree: string): Promise<void> {
  const names = (await git.ask(['ls-tree', '-z', '--name-only', tree], { gitDir: mirror })).split('\0')
  if (names.some(isAgencyPath)) throw refusal('forbidden', 'the merge would bring in files under .agency/')
}

function messageOf({ message, trailers = {} }: MergeMessage): string {
  const lines = Object.entries(trailers).map(([key, value]) => `${key}: ${value.replaceAll('\n', ' ')}`)
  return `${[message.trim(), lines.join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}
