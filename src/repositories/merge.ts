import { bug, refusal } from '../kernel/errors.ts'
import { type Author, authorEnvironment, engineAuthor } from './author.ts'
import { type Git, gitError } from './git.ts'
import { isAgencyPath } from './paths.ts'
import { moveRefs, readBranch, type RefMove } from './refs.ts'

/**
 * Merges a commit into a chain of branches: each is merged with the result of the one before it. A branch follows the
 * head that its row records: a merge builds on that head, even if the branch itself is ahead of it because an earlier
 * merge was never recorded.
 */
export interface Merge {
  readonly mirror: string
  readonly commit: string
  readonly levels: readonly MergeLevel[]
}

export interface MergeLevel extends MergeMessage {
  readonly branch: string
  /** The recorded commit of the branch, on which the merge builds. */
  readonly head: string
}

export interface MergeMessage {
  readonly message: string
  readonly trailers?: Readonly<Record<string, string>>
  readonly author?: Author
}

export interface Merged {
  readonly outcome: 'merged' | 'already' | 'conflict'
  /** The commit of each branch, in the order of the levels; empty after a conflict. */
  readonly commits: readonly string[]
  /** The files in conflict; otherwise empty. */
  readonly files: readonly string[]
}

/** How often another process may move one of the branches in the meantime. */
const maxRaces = 20

/**
 * Merges without a working tree: drivers and filters that a tree names have no file to run on. Moves all branches or
 * none: a conflict further up leaves no partial merge.
 */
export async function mergeInto(git: Git, { mirror, commit, levels }: Merge): Promise<Merged> {
  const commits: string[] = []
  let outcome: Merged['outcome'] = 'already'
  for (const level of levels) {
    const joined = await mergeCommits(git, mirror, level.head, commits.at(-1) ?? commit, level)
    if (joined.conflicts !== null) return { outcome: 'conflict', commits: [], files: joined.conflicts }
    if (joined.isNew) outcome = 'merged'
    commits.push(joined.commit)
  }
  await moveBranches(git, mirror, levels, commits)
  return { outcome, commits, files: [] }
}

/** Moves each branch from where it is now to its new commit. */
async function moveBranches(
  git: Git,
  mirror: string,
  levels: readonly MergeLevel[],
  commits: readonly string[],
): Promise<void> {
  for (let race = 0; race < maxRaces; race += 1) {
    const moves: RefMove[] = []
    for (const [index, { branch }] of levels.entries()) {
      const from = await readBranch(git, mirror, branch)
      const to = commits[index] as string
      if (from !== to) moves.push({ ref: `refs/heads/${branch}`, to, from })
    }
    if (await moveRefs(git, mirror, moves)) return
  }
  throw bug(`the branches ${levels.map(({ branch }) => branch).join(', ')} were moved ${maxRaces} times in a row`)
}

type Joined =
  { readonly conflicts: null; readonly commit: string; readonly isNew: boolean } | { readonly conflicts: string[] }

/** Creates the merge commit; no ref points to it yet. */
async function mergeCommits(
  git: Git,
  mirror: string,
  ours: string,
  theirs: string,
  message: MergeMessage,
): Promise<Joined> {
  if (await isAncestor(git, mirror, theirs, ours)) return { conflicts: null, commit: ours, isNew: false }
  const { tree, conflicts } = await mergeTrees(git, mirror, ours, theirs)
  if (conflicts !== null) return { conflicts }
  await refuseAgencyFiles(git, mirror, tree)
  const commit = await git.ask(['commit-tree', tree, '-p', ours, '-p', theirs], {
    gitDir: mirror,
    input: messageOf(message),
    environment: authorEnvironment(message.author ?? engineAuthor, git.clock),
  })
  return { conflicts: null, commit, isNew: true }
}

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
