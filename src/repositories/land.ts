import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { refusal } from '../kernel/errors.ts'
import { shellQuote } from '../workspaces/quote.ts'
import { authorEnvironment, engineAuthor } from './author.ts'
import { changedFiles } from './changes.ts'
import { errorLine, type Git } from './git.ts'
import { plainFetch } from './safe-git-config.ts'
import { isAncestor } from './merge.ts'
import { findRepository, type OperatorRepository } from './operator-repository.ts'

export interface Landing {
  /** The operator's repository. */
  readonly repository: string
  readonly branch: string
  readonly mirror: string
  /** The new commit of the branch; the mirror has it. */
  readonly commit: string
  /** The commit that the work began with. */
  readonly base: string
  /** The command to repeat once the cause of a refusal is removed: `agency approve …`. */
  readonly again?: string
}

export interface Readiness {
  /** `moved`: the branch has commits that this one lacks. Merge them first, then try again. */
  readonly outcome: 'ready' | 'already' | 'moved'
  /** The commit of the branch. */
  readonly commit: string
}

export interface Landed {
  readonly outcome: 'landed' | 'already' | 'moved'
  /** The commit of the branch now. */
  readonly commit: string
  /** The commit of the branch before the landing, as far as it is known. */
  readonly from: string | null
}

/**
 * Checks whether the branch could be moved now, without writing. Refuses, with the next command, while the operator
 * works there.
 */
export async function canLand(git: Git, landing: Landing): Promise<Readiness> {
  const { outcome, commit } = await prepare(git, landing)
  return { outcome, commit }
}

/**
 * Fast-forwards the operator's branch: with its files if it is checked out, without them if not. The only other trace in
 * the operator's repository is the line in the branch's reflog.
 */
export async function land(git: Git, landing: Landing): Promise<Landed> {
  const { outcome, commit, repository, worktree, isHalfLanded } = await prepare(git, landing)
  if (outcome !== 'ready')
    return { outcome, commit, from: outcome === 'already' ? await readBefore(repository, landing) : null }
  if (worktree !== null && isHalfLanded) await takeBack(repository.at(worktree), landing, commit)
  if (worktree === null) await fetchInto(git, repository, landing, `${landing.commit}:refs/heads/${landing.branch}`)
  else {
    await fetchInto(git, repository, landing, landing.commit)
    await fastForward(git, repository.at(worktree), landing, commit)
  }
  const now = await headOf(repository, landing)
  if (now !== landing.commit) throw movedMeanwhile(landing)
  return { outcome: 'landed', commit: now, from: commit }
}

/** Returns from the reflog the commit from which an earlier try moved the branch to the landing. */
async function readBefore(repository: OperatorRepository, { branch, commit }: Landing): Promise<string | null> {
  const { exitCode, stdout } = await repository.run(['log', '-g', '--format=%H', `refs/heads/${branch}`, '--'])
  const moves = exitCode === 0 ? stdout.toString('utf8').split('\n') : []
  const at = moves.indexOf(commit)
  const before = at === -1 ? undefined : moves[at + 1]
  return before !== undefined && before !== '' && (await has(repository, before, commit)) ? before : null
}

interface Prepared extends Readiness {
  readonly repository: OperatorRepository
  /** The worktree in which the branch is checked out, if any. */
  readonly worktree: string | null
  /** An earlier try was killed when it had written the files there, but had not moved the branch. */
  readonly isHalfLanded: boolean
}

async function prepare(git: Git, landing: Landing): Promise<Prepared> {
  const repository = await findRepository(git, landing.repository)
  const commit = await headOf(repository, landing)
  const worktree = await findWorktree(repository, landing)
  const found = (outcome: Readiness['outcome'], isHalfLanded = false): Prepared => ({
    outcome,
    commit,
    repository,
    worktree,
    isHalfLanded,
  })
  if (commit === landing.commit || (await has(repository, landing.commit, commit))) return found('already')
  await refuseRewritten(repository, landing, commit)
  if (!(await isAncestor(git, landing.mirror, commit, landing.commit))) return found('moved')
  if (worktree === null) return found('ready')
  const changed = await changesIn(repository.at(worktree))
  if (changed.length > 0 && (await hasFilesOf(repository.at(worktree), landing))) return found('ready', true)
  await refuseUnclean(git, repository.at(worktree), landing, { from: commit, changed })
  return found('ready')
}

async function headOf(repository: OperatorRepository, { branch }: Landing): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `refs/heads/${branch}^{commit}`]
  const { exitCode, stdout } = await repository.run(args)
  if (exitCode === 0) return stdout.toString('utf8').trim()
  throw refusal('not_found', `${repository.path} no longer has a branch "${branch}"`, {
    hint: `List its branches: ${inRepository(repository, 'branch --list')}`,
  })
}

/** Refuses a branch that was reset or rewritten: the result contains the commits that the operator dropped. */
async function refuseRewritten(repository: OperatorRepository, landing: Landing, commit: string): Promise<void> {
  const { base, branch } = landing
  if (commit === base || (await has(repository, base, commit))) return
  const back = inRepository(repository, `merge ${base.slice(0, 12)}`)
  throw refusal('conflict', `${branch} no longer contains ${base.slice(0, 12)}, with which the work began`, {
    hint: `The result would bring dropped commits back. Cancel the run and start it again, or restore them (${back}), then: ${landing.again ?? 'try again'}`,
  })
}

/** Asks the operator's repository, because it may have commits that the mirror lacks. */
async function has(repository: OperatorRepository, ancestor: string, commit: string): Promise<boolean> {
  const { exitCode } = await repository.run(['merge-base', '--is-ancestor', ancestor, commit])
  return exitCode === 0
}

/**
 * Finds the worktree of the branch. A branch that is being rebased is no worktree's HEAD, and moves when the rebase
 * ends: it must not move before.
 */
async function findWorktree(repository: OperatorRepository, landing: Landing): Promise<string | null> {
  const listed = await repository.ask(['worktree', 'list', '--porcelain', '-z'])
  for (const entry of listed.split('\0\0').filter((each) => each !== '')) {
    const lines = entry.split('\0')
    const path = lines[0]?.replace(/^worktree /, '') ?? ''
    // A worktree whose directory or `.git` link is missing cannot be in the way.
    if (lines.includes('bare') || !(await exists(join(path, '.git')))) continue
    const isHere = lines.includes(`branch refs/heads/${landing.branch}`)
    const operation = await operationIn(repository.at(path), landing.branch, isHere)
    if (operation !== null)
      throw refusal('conflict', `a ${operation} is in progress in ${path}`, {
        hint: then(`Finish it or abort it: git -C ${shellQuote(path)} ${operation} --abort`, landing),
      })
    if (isHere) return path
  }
  return null
}

const operations = [
  ['rebase', 'rebase-merge'],
  ['rebase', 'rebase-apply'],
  ['merge', 'MERGE_HEAD'],
  ['cherry-pick', 'CHERRY_PICK_HEAD'],
  ['revert', 'REVERT_HEAD'],
] as const

async function operationIn(worktree: OperatorRepository, branch: string, isHere: boolean): Promise<string | null> {
  const folder = await worktree.ask(['rev-parse', '--absolute-git-dir'])
  for (const [name, file] of operations) {
    if (!(await exists(join(folder, file)))) continue
    if (isHere || (await readBranchName(folder, file)) === branch) return name
  }
  return null
}

const readBranchName = async (folder: string, file: string): Promise<string | null> =>
  (await readFile(join(folder, file, 'head-name'), 'utf8').catch(() => null))?.trim().replace(/^refs\/heads\//, '') ??
  null

/** Lists the files with uncommitted changes; untracked files have none. */
async function changesIn(worktree: OperatorRepository): Promise<string[]> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=no', '--ignore-submodules=dirty']
  const { stdout } = await worktree.run(args, { maxOutputBytes: 64 * 1024, mayCut: true })
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line.length > 3)
    .map((line) => line.slice(3))
}

/**
 * Reports whether index and files are exactly those of the landing: git writes them before it moves the branch, so they
 * stay if the branch is locked, or if git is killed in between.
 */
async function hasFilesOf(worktree: OperatorRepository, { commit }: Landing): Promise<boolean> {
  for (const args of [
    ['diff-index', '--cached', '--quiet', commit, '--'],
    ['diff-files', '--quiet', '--ignore-submodules=dirty'],
  ])
    if ((await worktree.run(args)).exitCode !== 0) return false
  return true
}

/** Replaces the files of the landing with those of the commit at which the branch still is; other files stay. */
const takeBack = async (worktree: OperatorRepository, { commit }: Landing, from: string): Promise<void> =>
  void (await worktree.ask(['read-tree', '-m', '-u', commit, from]))

/** Refuses uncommitted changes. Untracked files do not matter, unless one is in the way of a new file. */
async function refuseUnclean(
  git: Git,
  worktree: OperatorRepository,
  landing: Landing,
  { from, changed }: { from: string; changed: readonly string[] },
): Promise<void> {
  if (changed.length > 0)
    throw refusal('conflict', `${worktree.path} has uncommitted changes: ${few(changed)}`, {
      hint: then(`Commit them, or stash them: ${inRepository(worktree, 'stash')}`, landing),
      data: { files: changed.slice(0, 20) },
    })
  const inTheWay = await untrackedInTheWay(git, worktree, landing, from)
  if (inTheWay.length > 0)
    throw refusal('conflict', `untracked files are in the way in ${worktree.path}: ${few(inTheWay)}`, {
      hint: then(`Move them, or stash them: ${inRepository(worktree, 'stash --include-untracked')}`, landing),
      data: { files: inTheWay.slice(0, 20) },
    })
}

async function untrackedInTheWay(
  git: Git,
  worktree: OperatorRepository,
  { mirror, commit }: Landing,
  from: string,
): Promise<string[]> {
  const files = (await changedFiles(git, mirror, from, commit)).filter(({ status }) => status === 'added')
  const found: string[] = []
  for (const { path } of files) found.push(...(await untrackedAt(worktree, path)))
  return found
}

/** A folder whose files are all tracked makes way for a file of the same name. */
async function untrackedAt(worktree: OperatorRepository, path: string): Promise<string[]> {
  const found = await lstat(join(worktree.path, path)).catch(() => null)
  if (found === null) return []
  if (!found.isDirectory()) return [path]
  const listed = await worktree.ask(['ls-files', '--others', '-z', '--', `:(top,literal)${path}`])
  return listed.split('\0').filter((each) => each !== '')
}

async function fetchInto(git: Git, repository: OperatorRepository, landing: Landing, refspec: string): Promise<void> {
  const args = [...plainFetch, landing.mirror, refspec]
  const environment = { ...reflogEnvironment(git, landing), GIT_ALLOW_PROTOCOL: 'file' }
  const { exitCode, stderr } = await repository.run(args, { environment })
  if (exitCode !== 0) throw notMoved(repository, landing, stderr)
}

async function fastForward(git: Git, worktree: OperatorRepository, landing: Landing, from: string): Promise<void> {
  const options = [
    '--ff-only',
    '--no-overwrite-ignore',
    '--no-squash',
    '--no-autostash',
    '--no-verify-signatures',
    '--no-stat',
    '--quiet',
  ]
  const { exitCode, stderr } = await worktree.run(['merge', ...options, landing.commit], {
    environment: reflogEnvironment(git, landing),
    settings: [['advice.diverging', 'false']],
  })
  if (exitCode === 0) return
  if ((await headOf(worktree, landing)) === from && (await hasFilesOf(worktree, landing)))
    await takeBack(worktree, landing, from)
  throw notMoved(worktree, landing, stderr)
}

/** Sets the author and the beginning of the line in the branch's reflog. */
const reflogEnvironment = (git: Git, { branch }: Landing): Record<string, string> => ({
  ...authorEnvironment(engineAuthor, git.clock),
  GIT_REFLOG_ACTION: `agency: ${branch}`,
})

const notMoved = (repository: OperatorRepository, landing: Landing, stderr: string) =>
  refusal('conflict', `${repository.path} could not be fast-forwarded: ${errorLine(stderr) ?? 'git gave no reason'}`, {
    hint: then(`Show the state of the repository: ${inRepository(repository, 'status')}`, landing),
    data: { busy: /Unable to create '[^']*\.lock'|cannot lock ref/.test(stderr) },
  })

const movedMeanwhile = ({ repository, branch }: Landing) =>
  refusal('conflict', `the branch "${branch}" of ${repository} was moved by another process at the same time`, {
    hint: `Show its commits: git -C ${shellQuote(repository)} log --oneline -5 ${shellQuote(branch)}`,
  })

const then = (hint: string, { again }: Landing): string => (again === undefined ? hint : `${hint}, then: ${again}`)

const inRepository = ({ path }: OperatorRepository, command: string): string => `git -C ${shellQuote(path)} ${command}`

const few = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
