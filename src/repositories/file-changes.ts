import { changedFiles, plainDiff } from './changes.ts'
import { type Git, gitError } from './git.ts'
import { isAncestor } from './merge.ts'
import { type BinaryChange, type FileChange, type FinishedWork, trailersOf } from './port.ts'

export interface OwnChanges {
  readonly from: string
  readonly to: string
  readonly others: FinishedWork
  /** The repository with the refs, if the commits are in another one. */
  readonly refsIn?: string
}

/** More branches than one brief ever merges; each costs a comparison. */
const maxOthers = 20
/** More merges than a branch of a run ever has. */
const maxMerges = 10_000

/**
 * Lists the files that differ between two commits; a file that was moved is one change. Files that are as in a branch of
 * others that was merged meanwhile are the others' changes and are left out, unless the branch has them from the brief
 * itself: an earlier attempt of it may have been merged there.
 */
export async function fileChanges(
  git: Git,
  mirror: string,
  { from, to, others, refsIn = mirror }: OwnChanges,
): Promise<FileChange[]> {
  const chains = others.refs.length === 0 ? [] : await chainsOf(git, mirror, { from, refs: others.refs, refsIn })
  const known = new Map<string, Promise<FileChange[]>>()

  async function ownChanges(commit: string): Promise<FileChange[]> {
    const changes = await allChanges(git, mirror, from, commit)
    if (changes.length === 0 || chains.length === 0) return changes
    for (const other of await mergedIn(git, mirror, { from, to: commit, chains })) {
      // An earlier attempt that is a head itself excuses nothing of its own.
      if (other === commit && commit !== to) continue
      const own = await pathsOfOwn(other, commit)
      const differing = new Set(
        await diffWords(git, mirror, ['--name-only', ...plainDiff, '--end-of-options', other, commit]),
      )
      const isOwn = (path: string): boolean => differing.has(path) || own.has(path)
      changes.splice(0, Infinity, ...changes.filter((change) => pathsOf(change).some(isOwn)))
    }
    return changes
  }

  /** Returns the files that a head of others has from earlier attempts of the brief. */
  async function pathsOfOwn(head: string, within: string): Promise<Set<string>> {
    const paths = new Set<string>()
    for (const commit of await ownCommitsIn(git, mirror, from, head, others)) {
      if (commit === within) continue
      const found = known.get(commit) ?? ownChanges(commit)
      known.set(commit, found)
      for (const change of await found) for (const path of pathsOf(change)) paths.add(path)
    }
    return paths
  }

  return ownChanges(to)
}

const pathsOf = ({ path, movedFrom }: FileChange): string[] => (movedFrom === undefined ? [path] : [path, movedFrom])

async function allChanges(git: Git, mirror: string, from: string, to: string): Promise<FileChange[]> {
  const words = await diffWords(git, mirror, ['--raw', ...withMoves, '--end-of-options', from, to])
  const changes: FileChange[] = []
  for (let index = 0; words[index]?.startsWith(':') === true;) {
    const [before = '', mode = '', , , letters = ''] = words[index]?.slice(1).split(' ') ?? []
    const isMove = letters.startsWith('R')
    const [first = '', second = ''] = words.slice(index + 1)
    const path = isMove ? second : first
    const isLink = mode === link
    changes.push({
      path,
      status: statusOf(letters),
      isLink,
      ...(before === submodule || mode === submodule ? { isSubmodule: true } : {}),
      ...(isMove ? { movedFrom: first } : {}),
    })
    index += isMove ? 3 : 2
  }
  return changes
}

const link = '120000'
const submodule = '160000'

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

/** Lists, for each branch of others, the commits that were its head since a commit, the newest first. */
async function chainsOf(
  git: Git,
  repository: string,
  { from, refs, refsIn }: { from: string; refs: readonly string[]; refsIn: string },
): Promise<string[][]> {
  const args = ['for-each-ref', '--format=%(objectname)', '--sort=-creatordate', ...refs]
  const heads = (await git.ask(args, { gitDir: refsIn })).split('\n').filter((head) => head !== '' && head !== from)
  const chains: string[][] = []
  for (const head of [...new Set(heads)].slice(0, maxOthers)) {
    const walk = ['rev-list', '--first-parent', `--max-count=${maxMerges}`, head, `^${from}`]
    chains.push((await git.ask(walk, { gitDir: repository })).split('\n').filter(Boolean))
  }
  return chains
}

/** Returns the newest head of each branch of others that was merged between the two commits. */
async function mergedIn(
  git: Git,
  repository: string,
  { from, to, chains }: { from: string; to: string; chains: readonly (readonly string[])[] },
): Promise<string[]> {
  const since = new Set((await git.ask(['rev-list', to, `^${from}`], { gitDir: repository })).split('\n'))
  return [...new Set(chains.flatMap((chain) => chain.find((head) => since.has(head)) ?? []))]
}

/** Lists the commits of a brief that a head contains: those that were merged under its name, and those that are known. */
async function ownCommitsIn(
  git: Git,
  repository: string,
  from: string,
  head: string,
  { ownBriefs, ownCommits }: FinishedWork,
): Promise<string[]> {
  const names = ownBriefs.flatMap((id) => trailersOf(id).map((trailer) => `--grep=${trailer}`))
  const args = ['log', '--merges', '--fixed-strings', ...names, '--format=%P', head, `^${from}`]
  const merges = names.length === 0 ? '' : await git.ask(args, { gitDir: repository })
  const found = new Set(merges.split('\n').flatMap((parents) => parents.split(' ')[1] ?? []))
  for (const commit of ownCommits)
    if ((await isAncestor(git, repository, commit, head)) && !(await isAncestor(git, repository, commit, from)))
      found.add(commit)
  return [...found]
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

/** Lists files that are binary for git now: one NUL byte is enough to hide the diff of a file that was text. */
export async function binaryChanges(git: Git, mirror: string, from: string, to: string): Promise<BinaryChange[]> {
  const found: BinaryChange[] = []
  for (const { path, status, binary } of await changedFiles(git, mirror, from, to)) {
    if (!binary || status === 'deleted') continue
    if (status === 'added') found.push({ path, was: 'none' })
    else if ((await fileText(git, mirror, from, path))?.includes('\0') === false) found.push({ path, was: 'text' })
  }
  return found
}

/** Lists the paths of a commit. */
export async function filePaths(git: Git, mirror: string, commit: string): Promise<string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', commit]
  const result = await git.run(args, { gitDir: mirror, mayCut: true })
  if (result.exitCode !== 0) throw gitError(args, result)
  return result.stdout.toString('utf8').split('\0').slice(0, -1)
}
