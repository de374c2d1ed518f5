import type { Clock } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import {
  emptyFilters,
  safeEnvironment,
  safeSettings,
  listFilters,
  settingWords,
} from '../../repositories/safe-git-config.ts'
import type { CommandResult, Workspace } from '../../workspaces/port.ts'
import { shellCommand, shellQuote } from '../../workspaces/quote.ts'
import { searchedBytes, Unchecked } from './finding.ts'

/** Queries a repository that an agent made, without running or trusting its configuration. */
export interface Git {
  /** Resolves to the output; null for exit code 1, by which git answers "no". */
  ask(...words: string[]): Promise<string | null>
  /** Resolves to the differences between the commit and the files, by a separate index. */
  compare(commit: string, globs: readonly string[]): Promise<string>
  readonly boxed: boolean
}

/** A query that git could not answer, or not in time; the message contains the cause. */
export class GitError extends Error {}

interface GitPlace {
  readonly workspace: Workspace
  /** The directory with the `.git`, below the workspace. */
  readonly path: string
  readonly deadlineMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
}

export function createGit({ workspace, path, deadlineMs, clock, signal }: GitPlace): Git {
  const git = (words: readonly string[]): string => shellCommand(['git', ...harmless(path), ...words])
  let neutralised: string | null = null
  let boxed = false

  const run = async (command: string): Promise<CommandResult> => {
    const timeoutMs = deadlineMs - clock.nowMs()
    if (timeoutMs <= 0) throw new GitError('git took too long')
    const result = await workspace.run(command, { timeoutMs, maxOutputBytes: searchedBytes, ...(signal && { signal }) })
    boxed = result.boxed
    if (result.timedOut) throw new GitError('git took too long')
    // Git was killed or never started, so nothing is known about the repository.
    if (result.exitCode === null)
      throw new Unchecked(`git could not be run${result.signal === null ? '' : `: ${result.signal}`}`)
    if (result.exitCode === 127) throw new GitError('git is not installed here')
    return result
  }

  /**
   * Errors are discarded here, because a warning must not be read as an answer; after a failure, the command runs again
   * for its errors.
   */
  const answer = async (command: string): Promise<string | null> => {
    const { exitCode, output } = await run(`{ ${command}\n} 2>/dev/null`)
    if (exitCode === 0) return output
    if (exitCode === 1) return null
    const complaint = await run(`{ ${command}\n} 2>&1 >/dev/null`)
    throw new GitError(shorten(`git could not tell: ${firstLine(complaint.output) ?? `exit code ${exitCode}`}`, 300))
  }

  return {
    ask: (...words) => answer(`${environment} ${git(words)}`),
    compare: async (commit, globs) => {
      neutralised ??= neutralise(await answer(`${environment} ${git(listFilters)}`))
      const index = 'index=$(mktemp -d) || exit 2; trap \'rm -rf "$index"\' EXIT'
      const prefix = `${environment} ${neutralised} GIT_INDEX_FILE="$index/index"`
      const fill = git(['read-tree', '--no-recurse-submodules', commit])
      const compare = git([...status, '--', ...globs.map(pathspec), ':(top,exclude,literal).agency'])
      return (await answer(`${index}; ${prefix} ${fill} && ${prefix} ${compare}`)) ?? ''
    },
    get boxed() {
      return boxed
    },
  }
}

/** Makes a glob relative to the top of the repository, also if it begins with characters special to git. */
export const pathspec = (glob: string): string => `:(top,glob)${glob}`

/**
 * Allows no configuration but the repository's own, without settings that start a program or hide a file. The directory
 * is named, so that git does not find a repository above it.
 */
const harmless = (path: string): string[] => [
  '--no-pager',
  `--git-dir=./${path}/.git`,
  `--work-tree=./${path}`,
  ...settingWords([
    ...Object.entries(safeSettings),
    ['core.sparseCheckout', 'false'],
    ['core.fileMode', 'true'],
    ['core.quotePath', 'true'],
  ]),
]

const environment = Object.entries(safeEnvironment)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')

const status = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty', '--no-renames']

/** The settings are in a command twice, and one argument has at most 128 KB on Linux. */
const maxSettingsLength = 40_000

function neutralise(names: string | null): string {
  const emptied = (names ?? '').length >= searchedBytes ? null : emptyFilters(names ?? '')
  const settings = Object.entries(emptied ?? {}).flatMap(([key, value], index) => [
    `GIT_CONFIG_KEY_${index}=${shellQuote(key)}`,
    `GIT_CONFIG_VALUE_${index}=${value}`,
  ])
  const words = [`GIT_CONFIG_COUNT=${settings.length / 2}`, ...settings].join(' ')
  if (emptied === null || words.length > maxSettingsLength)
    throw new GitError('the repository configures far more filters than any needs')
  return words
}

const firstLine = (text: string): string | null => text.split('\n').find((line) => line.trim() !== '') ?? null
