import { plainDiff } from './changes.ts'
import { type Git, gitError } from './git.ts'
import { isAncestor } from './merge.ts'
import type { FileChange } from './port.ts'

export interface OwnChanges {
  readonly from: string
  readonly to: string
  /** Refs or their prefixes with finished work of others. */
  readonly others: readonly string[]
  /** The repository with these refs, if the commits are in another one. */
  readonly refsIn?: string
}

/** More branches than one brief ever merges; each costs a comparison. */
const maxOthers = 20

/**
 * Lists the files that differ between two commits; a file that was moved is one change. Files that are as in a branch of
 * others that was merged meanwhile are the others' changes and are left out.
 */
export async function fileChanges(git: Git, mirror: string, work: OwnChanges): Promise<FileChange[]> {
  const { from, to, others } = work
  const words = await diffWords(git, mirror, ['--raw', ...withMoves, '--end-of-options', from, to])
  const changes: FileChange[] = []
  for (let index = 0; words[index]?.startsWith(':') === true;) {
    const [, mode = '', , , letters = ''] = words[index]?.slice(1).split(' ') ?? []
    const isMove = letters.startsWith('R')
    const [first = '', second = ''] = words.slice(index + 1)
    const path = isMove ? second : first
    const isLink = mode === link
    changes.push({ path, status: statusOf(letters), isLink, ...(isMove ? { movedFrom: first } : {}) })
    index += isMove ? 3 : 2
  }
  if (changes.length === 0 || others.length === 0) return changes
  for (const other of await mergedHeads(git, mirror, work)) {
    const differing = new Set(
      await diffWords(git, mirror, ['--name-only', ...plainDiff, '--end-of-options', other, to]),
    )
    const isOwn = ({ path, movedFrom }: FileChange): boolean =>
      differing.has(path) || (movedFrom !== undefined && differing.has(movedFrom))
    changes.splice(0, Infinity, ...changes.filter(isOwn))
  }
  return changes
}

const link = '120000'

/** The limit is git's own for a merge; with more files, moved ones are deleted and added. */
const withMoves = ['--no-ext-diff', '--no-textconv', '--find-renames', '-l1000', '--no-color']

const statusOf = (letters: string): FileChange['status'] => {
  switch (letters.charAt(0)) {
    case 'A':
      return 'added'
    case 'D':
      return 'deleted'
    case 'R':
      return 'moved'
    default:
      return 'changed'
  }
}

async function diffWords(git: Git, mirror: string, args: readonly string[]): Promise<string[]> {
  const words = ['diff-tree', '-r', '-z', ...args]
  const result = await git.run(words, { gitDir: mirror })
  if (result.exitCode !== 0) throw gitError(words, result)
  return result.stdout.toString('utf8').split('\0')
}

/** Lists the heads of others that were merged between the two commits. */
async function mergedHeads(
  git: Git,
  repository: string,
  { from, to, others, refsIn = repository }: OwnChanges,
): Promise<string[]> {
  const args = ['for-each-ref', '--format=%(objectname)', '--sort=-creatordate', ...others]
  const heads = (await git.ask(args, { gitDir: refsIn })).split('\n').filter((head) => head !== '' && head !== from)
  const merged: string[] = []
  for (const head of [...new Set(heads)].slice(0, maxOthers))
    if ((await isAncestor(git, repository, head, to)) && !(await isAncestor(git, repository, head, from)))
      merged.push(head)
  return merged
}

/** Lockfiles of large repositories have several megabytes. */
const maxTextBytes = 8_000_000

/** Resolves to the text of a file in a commit; null if there is none, or it is larger than any file for people. */
export async function fileText(git: Git, mirror: string, commit: string, path: string): Promise<string | null> {
  const result = await git.run(['cat-file', 'blob', `${commit}:${path}`], {
    gitDir: mirror,
    maxOutputBytes: maxTextBytes,
    mayCut: true,
  })
  return result.exitCode !== 0 || result.cut ? null : result.stdout.toString('utf8')
}

/** Lists the paths of a commit. */
export async function filePaths(git: Git, mirror: string, commit: string): Promise<string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', commit]
  const result = await git.run(args, { gitDir: mirror, mayCut: true })
  if (result.exitCode !== 0) throw gitError(args, result)
  return result.stdout.toString('utf8').split('\0').slice(0, -1)
}
