import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

import { refusal } from '../kernel/errors.ts'
import { shellCommand, shellQuote } from '../workspaces/quote.ts'
import { errorLine, type Git, type GitOptions, type GitResult, GitError, type Setting, gitError } from './git.ts'
import { emptyFilters, safeSettings, listFilters, settingWords } from './safe-git-config.ts'

/** A repository of the operator, found and ready for git commands. */
export interface OperatorRepository {
  /** The real top level of its tree, or its directory if it is bare. */
  readonly path: string
  /** The directory of its objects and branches: the same for all its worktrees. */
  readonly store: string
  readonly bare: boolean
  readonly shallow: boolean
  readonly objectFormat: string
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>
  ask(args: readonly string[], options?: GitOptions): Promise<string>
  /** Returns the same repository in another of its worktrees. */
  at(worktree: string): OperatorRepository
  /**
   * The upload-pack command for a git that fetches from it, because that command does not get the caller's settings.
   */
  uploadPack(settings: readonly Setting[]): string
}

/** Finds the repository that contains a path; refuses an unusable one with the next command. */
export async function findRepository(git: Git, path: string): Promise<OperatorRepository> {
  const directory = await readableDirectory(path)
  const operator = await operatorSettings(git)
  const asked = await git.run(
    [
      'rev-parse',
      '--path-format=absolute',
      '--is-bare-repository',
      '--is-inside-git-dir',
      '--is-shallow-repository',
      '--show-object-format',
      '--git-common-dir',
    ],
    { cwd: directory, settings: operator.settings },
  )
  if (asked.exitCode !== 0) throw notUsable(path, directory, asked)
  const [bare, insideGitDir, shallow, objectFormat = 'sha1', ...store] = lines(asked.stdout.toString('utf8'))
  const isBare = bare === 'true'
  const storePath = await realpath(store.join('\n'))
  const inFiles = insideGitDir === 'true' ? dirname(storePath) : directory
  const [top, filters] = await Promise.all([
    isBare ? storePath : topLevel(git, inFiles, operator.settings).then((found) => realpath(found)),
    withoutFilters(git, directory, operator.settings),
  ])
  const found = { path: top, store: storePath, bare: isBare, shallow: shallow === 'true', objectFormat }
  return createRepository(git, found, [...operator.settings, ...filters], operator.safe)
}

function createRepository(
  git: Git,
  found: Pick<OperatorRepository, 'path' | 'store' | 'bare' | 'shallow' | 'objectFormat'>,
  settings: readonly Setting[],
  safe: readonly Setting[],
): OperatorRepository {
  const options = (more: GitOptions = {}): GitOptions => ({
    ...more,
    cwd: found.path,
    settings: [...settings, ...(more.settings ?? [])],
  })
  return {
    ...found,
    run: (args, more) => git.run(args, options(more)),
    ask: (args, more) => git.ask(args, options(more)),
    at: (worktree) => createRepository(git, { ...found, path: worktree }, settings, safe),
    // Git starts it for the other side, with no settings but these.
    uploadPack: (more) =>
      shellCommand(['git', ...settingWords([...Object.entries(safeSettings), ...safe, ...more]), 'upload-pack']),
  }
}

async function readableDirectory(path: string): Promise<string> {
  const next = { hint: 'Name an existing directory with a git repository.' }
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw unreadable(path)
    throw refusal('not_found', `the directory ${path} does not exist`, next)
  })
  if (!found.isDirectory()) throw refusal('invalid_input', `${path} is not a directory`, next)
  await access(path, constants.R_OK | constants.X_OK).catch(() => {
    throw unreadable(path)
  })
  return realpath(path)
}

const unreadable = (path: string) =>
  refusal('forbidden', `${path} is not readable`, { hint: `Show its permissions: ls -ld ${shellQuote(path)}` })

function notUsable(path: string, directory: string, asked: GitResult) {
  const { stderr } = asked
  const dubious = /detected dubious ownership in repository at '(.*)'/.exec(stderr)?.[1]
  if (dubious !== undefined)
    return refusal('forbidden', `${path} belongs to another user, so git does not trust it`, {
      hint: `If you trust it: git config --global --add safe.directory ${shellQuote(dubious)}`,
    })
  if (stderr.includes('not a git repository'))
    return refusal('invalid_input', `${path} is not a git repository`, {
      hint: `Create one: git -C ${shellQuote(directory)} init && git -C ${shellQuote(directory)} add -A && git -C ${shellQuote(directory)} commit -m "First commit"`,
    })
  return refusal('invalid_input', `git cannot read ${path}: ${errorLine(stderr) ?? `exit code ${asked.exitCode}`}`, {
    hint: `Show the error: git -C ${shellQuote(directory)} status`,
    cause: gitError(['rev-parse'], asked),
  })
}

async function topLevel(git: Git, directory: string, settings: readonly Setting[]): Promise<string> {
  try {
    return await git.ask(['rev-parse', '--show-toplevel'], { cwd: directory, settings })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    throw refusal('invalid_input', `${directory} is inside a git directory, not in a working tree`, {
      hint: 'Name a directory of the working tree.',
      cause: error,
    })
  }
}

/**
 * Reads from the operator's own configuration only whether git may access a repository, and which files are ignored:
 * no setting that starts a program.
 */
async function operatorSettings(git: Git): Promise<{ settings: Setting[]; safe: Setting[] }> {
  const home = process.env['HOME'] ?? homedir()
  const configured = process.env['XDG_CONFIG_HOME'] ?? join(home, '.config')
  const environment = {
    HOME: home,
    XDG_CONFIG_HOME: configured,
    GIT_CONFIG_GLOBAL: process.env['GIT_CONFIG_GLOBAL'],
    GIT_CONFIG_NOSYSTEM: process.env['GIT_CONFIG_NOSYSTEM'],
  }
  const args = ['config', '--list', '--includes', '--show-scope', '-z']
  const listed = (await git.run(args, { cwd: '/', environment })).stdout.toString('utf8').split('\0')
  const values = (key: string): string[] =>
    listed.flatMap((entry, index) =>
      // The daemon's settings are listed too, with the scope `command`.
      index % 2 === 1 && listed[index - 1] !== 'command' && entry.startsWith(`${key}\n`)
        ? [entry.slice(key.length + 1)]
        : [],
    )
  const trusted = values('safe.directory').map((each): Setting => ['safe.directory', each])
  const ignored = values('core.excludesfile').at(-1)?.replace(/^~\//, `${home}/`) ?? join(configured, 'git', 'ignore')
  return { settings: [...trusted, ['core.excludesFile', ignored]], safe: trusted }
}

/** Empties the operator's filters: attributes in an agent's commit must not start one of them. */
async function withoutFilters(git: Git, path: string, settings: readonly Setting[]): Promise<Setting[]> {
  const { stdout } = await git.run(listFilters, { cwd: path, settings })
  const emptied = emptyFilters(stdout.toString('utf8'))
  if (emptied === null)
    throw refusal('invalid_input', `the configuration of ${path} configures too many filters`, {
      hint: `List them: git -C ${shellQuote(path)} config --get-regexp ^filter`,
    })
  return Object.entries(emptied)
}

const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n')
