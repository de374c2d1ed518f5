import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { refusal } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { slug } from '../kernel/text.ts'
import { shellQuote } from '../workspaces/quote.ts'
import { type AddedLines, addedLines } from './added-lines.ts'
import { changedFiles, type ChangedFile, type Commit, diffText, listCommits } from './changes.ts'
import { type CloneOptions, type CloneRequest, makeClone } from './clone.ts'
import type { Git, Setting } from './git.ts'
import { plainFetch } from './safe-git-config.ts'
import { canLand, land, type Landing, type Landed, type Readiness } from './land.ts'
import { branchOf, inspectRepository } from './inspect-repository.ts'
import { isAncestor, type Merge, type Merged, mergeInto } from './merge.ts'
import { findRepository, type OperatorRepository } from './operator-repository.ts'
import type { RepositoryFacts } from './port.ts'
import { deleteRefs, makeBranch, readBranch, retryLocked } from './refs.ts'

/**
 * The daemon's bare repositories, one for each of the operator's. Their changes are not transactional: every operation
 * here may be repeated, and may be killed in between.
 */
export interface Mirrors {
  inspect(repository: string, base?: string): Promise<RepositoryFacts>
  /** Creates or updates the mirror; its commit is that of the branch, or of HEAD if none is given. */
  refresh(repository: string, options?: { branch?: string | undefined }): Promise<Mirror>
  /** Creates a branch; an existing one stays unchanged. Resolves to its commit. */
  branch(mirror: string, name: string, commit: string): Promise<string>
  head(mirror: string, name: string): Promise<string | null>
  /** Returns the id of a commit's tree: two commits with the same files have the same tree. */
  tree(mirror: string, commit: string): Promise<string>
  has(mirror: string, commit: string): Promise<boolean>
  clone(request: CloneRequest, into: string, options?: CloneOptions): Promise<void>
  merge(merge: Merge): Promise<Merged>
  /** Reports whether `commit` contains the history of `other`. */
  contains(mirror: string, commit: string, other: string): Promise<boolean>
  files(mirror: string, from: string, to: string): Promise<ChangedFile[]>
  diff(mirror: string, from: string, to: string, options: DiffOptions): Promise<{ text: string; cut: boolean }>
  commits(mirror: string, from: string, to: string): Promise<Commit[]>
  /** Commits of `known` are the work of others and are left out. */
  added(
    mirror: string,
    from: string,
    to: string,
    options?: { maxBytes?: number; known?: readonly string[] },
  ): Promise<AddedLines>
  canLand(landing: Landing): Promise<Readiness>
  land(landing: Landing): Promise<Landed>
  /** Returns the size of its objects in bytes. */
  disk(mirror: string): Promise<number>
  /** Deletes branches below the names; resolves to their number. Their commits stay until a garbage collection. */
  prune(mirror: string, names: readonly string[]): Promise<number>
}

export interface Mirror {
  readonly path: string
  readonly branch: string
  readonly commit: string
}

export interface DiffOptions {
  readonly path?: string | undefined
  readonly maxBytes: number
}

export function createMirrors({ root, git, log }: { root: string; git: Git; log: Log }): Mirrors {
  const inTurn = createQueue()
  return {
    inspect: (repository, base) => inspectRepository(git, repository, base),
    refresh: async (path, options = {}) => {
      const repository = await findRepository(git, path)
      const branch = options.branch ?? (await branchOf(repository)) ?? refuseDetached(repository)
      await mkdir(root, { recursive: true, mode: 0o700 })
      const mirror = join(await realpath(root), nameOf(repository))
      await removeAbandoned(git, mirror)
      await inTurn(mirror, async () => {
        if (!(await exists(mirror))) await make(git, mirror, repository, log)
        else await fetchAll(git, mirror, repository)
      })
      return { path: mirror, branch, commit: await sourceOf(git, mirror, branch, repository) }
    },
    branch: (mirror, name, commit) => makeBranch(git, mirror, name, commit),
    head: (mirror, name) => readBranch(git, mirror, name),
    tree: (mirror, commit) =>
      git.ask(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], { gitDir: mirror }),
    has: async (mirror, commit) => {
      const { exitCode } = await git.run(['cat-file', '-e', `${commit}^{commit}`], { gitDir: mirror })
      return exitCode === 0
    },
    clone: (request, into, options) => makeClone(git, request, into, options),
    merge: (merge) => mergeInto(git, merge),
    contains: (mirror, commit, other) => isAncestor(git, mirror, other, commit),
    files: (mirror, from, to) => changedFiles(git, mirror, from, to),
    diff: (mirror, from, to, options) => diffText(git, mirror, from, to, options),
    commits: (mirror, from, to) => listCommits(git, mirror, from, to),
    added: (mirror, from, to, options) => addedLines(git, mirror, from, to, options),
    canLand: (landing) => canLand(git, landing),
    // Two runs may land on one branch at once: the second then merges the first, instead of a refusal by git.
    land: (landing) => inTurn(landing.mirror, () => land(git, landing)),
    disk: async (mirror) => {
      const counted = await git.ask(['count-objects', '-v'], { gitDir: mirror })
      const kilobytes = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1] ?? 0)
      return 1024 * (kilobytes('size') + kilobytes('size-pack') + kilobytes('size-garbage'))
    },
    prune: (mirror, names) =>
      deleteRefs(
        git,
        mirror,
        names.map((name) => `refs/heads/${name}`),
      ),
  }
}

/**
 * Names a mirror. Worktrees of one repository share it; the readable part is for people, the hash distinguishes
 * repositories of the same name.
 */
function nameOf({ store, objectFormat }: OperatorRepository): string {
  const hash = createHash('sha256').update(`${objectFormat}\0${store}`).digest('hex').slice(0, 12)
  return `${slug(basename(store.replace(/[/.]git$/, '')).slice(0, 40)) || 'repository'}-${hash}.git`
}

/**
 * Creates a mirror, which is complete as soon as it has its name: after an interruption it is created again in another
 * directory.
 */
async function make(git: Git, mirror: string, repository: OperatorRepository, log: Log): Promise<void> {
  const making = await mkdtemp(`${mirror}.making-`)
  try {
    await git.ask(['init', '--quiet', '--bare', '--template=', `--object-format=${repository.objectFormat}`, making], {
      cwd: making,
    })
    await writeFile(join(making, 'HEAD'), `ref: refs/heads/${unbornBranch}\n`)
    await writeFile(join(making, 'config'), configOf(repository.objectFormat))
    await fetchAll(git, making, repository, packedAsTheyAre)
    await rename(making, mirror)
    log.info('repository mirrored', { repository: repository.path, mirror })
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    // Another process has created the mirror at the same time, and its mirror is equivalent.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await fetchAll(git, mirror, repository)
  }
}

/** A branch that never exists: git reads attributes from the commit of HEAD, and in a mirror none may apply. */
const unbornBranch = 'agency/nowhere'

const configOf = (objectFormat: string): string =>
  [
    '[core]',
    `\trepositoryformatversion = ${objectFormat === 'sha1' ? 0 : 1}`,
    '\tbare = true',
    '\tlogAllRefUpdates = false',
    ...(objectFormat === 'sha1' ? [] : ['[extensions]', `\tobjectFormat = ${objectFormat}`]),
    // Clones borrow its objects: a commit that no branch of the mirror reaches may still be the start of an agent's
    // work.
    '[gc]',
    '\tauto = 0',
    '\tpruneExpire = never',
    '[uploadpack]',
    '\tallowAnySHA1InWant = true',
    '',
  ].join('\n')

/** Removes unfinished mirrors and quarantines that are a day old, longer than any operation takes. */
async function removeAbandoned(git: Git, mirror: string): Promise<void> {
  const folder = dirname(mirror)
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(`${basename(mirror)}.`))) {
    const path = join(folder, name)
    const changedMs = await stat(path).then(
      (found) => found.mtimeMs,
      () => Infinity,
    )
    if (git.clock.nowMs() - changedMs > abandonedMs) await rm(path, { recursive: true, force: true })
  }
}

const abandonedMs = 24 * 3_600_000
const longFetchMs = 30 * 60_000

/**
 * Git compares each loose object with ten others to store differences, which takes minutes for each gigabyte that has
 * none. Of a whole repository, objects are taken as they are: differences that it has stored are kept.
 */
const packedAsTheyAre = [['pack.window', '0']] as const
const withoutLargeFiles = [['core.bigFileThreshold', '1m']] as const

/**
 * Fetches the operator's branches under `refs/source`, apart from the mirror's own; follows deleted and rewritten
 * branches.
 */
const fetchAll = (
  git: Git,
  mirror: string,
  repository: OperatorRepository,
  packing: readonly Setting[] = withoutLargeFiles,
): Promise<unknown> =>
  retryLocked(git, mirror, () =>
    git.ask(
      [
        ...plainFetch,
        '--prune',
        '--update-shallow',
        `--upload-pack=${repository.uploadPack(packing)}`,
        repository.store,
        '+refs/heads/*:refs/source/*',
        '+refs/tags/*:refs/tags/*',
      ],
      { gitDir: mirror, timeoutMs: longFetchMs, environment: { GIT_ALLOW_PROTOCOL: 'file' } },
    ),
  )

async function sourceOf(git: Git, mirror: string, branch: string, repository: OperatorRepository): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `refs/source/${branch}^{commit}`]
  const { exitCode, stdout } = await git.run(args, { gitDir: mirror })
  if (exitCode === 0) return stdout.toString('utf8').trim()
  throw refusal('not_found', `${repository.path} has no branch "${branch}"`, {
    hint: `List its branches: git -C ${shellQuote(repository.path)} branch --list`,
  })
}

function refuseDetached({ path }: OperatorRepository): never {
  throw refusal('invalid_input', `${path} has no branch checked out, so there is no branch to land work on`, {
    hint: `Name a branch, or create one from the checked-out commit: git -C ${shellQuote(path)} switch -c <branch>`,
  })
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Runs work with the same key one after the other: two runs on one repository request the same fetch, or land. */
function createQueue() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
