import type { Clock } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import { distrustingSettings, safeEnvironment, safeSettings, settingWords } from '../../repositories/safe-git-config.ts'
import type { CommandResult, Workspace } from '../../workspaces/port.ts'
import { shellCommand, shellQuote } from '../../workspaces/quote.ts'
import { searchedBytes, Unchecked } from './finding.ts'

/** Queries a repository that an agent made, without running or trusting anything but its commits and their names. */
export interface Git {
  /** Resolves to the output; null for exit code 1, by which git answers "no". */
  ask(...words: string[]): Promise<string | null>
  /** Resolves to the differences between the commit and the files, by an index of our own. */
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

/**
 * Every query works in a repository of our own on the same files, which borrows the objects of the agent's: of that one
 * only HEAD, the names of commits and the mark of a shallow history are taken, so that none of its settings, excludes,
 * attributes, filters, indexes or commit graphs is read.
 */
export function createGit({ workspace, path, deadlineMs, clock, signal }: GitPlace): Git {
  const prepare = prepareScript(path)
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
    if (result.exitCode === noPlace) throw new Unchecked('git could not be run: there is no place for its files')
    if (result.exitCode === 127) throw new GitError('git is not installed here')
    return result
  }

  /**
   * Errors are discarded here, because a warning must not be read as an answer; after a failure, the command runs again
   * for its errors.
   */
  const answer = async (command: string): Promise<string | null> => {
    const { exitCode, output } = await run(`{ ${prepare}\n${command}\n} 2>/dev/null`)
    if (exitCode === 0) return output
    if (exitCode === 1) return null
    const complaint = await run(`{ ${prepare}\n${command}\n} 2>&1 >/dev/null`)
    throw new GitError(shorten(`git could not tell: ${firstLine(complaint.output) ?? `exit code ${exitCode}`}`, 300))
  }

  /** Returns files by which an agent could hide others and that no commit contains; tools write some, but not here. */
  const findHiders = async (fill: string): Promise<string> => {
    const hidden = git(['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--', ...hiders.map(anywhere)])
    const paths = ((await answer(`${fill} && ${hidden}`)) ?? '').split('\0').filter((name) => name !== '')
    const found: string[] = []
    for (const name of paths.slice(0, maxHiders)) {
      // A tool that makes a directory may put a file into it that ignores all of it.
      const beside = git(['ls-files', '--', `:(top,glob)${escapeGlob(name.replace(/[^/]+$/, ''))}*`])
      if (((await answer(`${fill} && ${beside}`)) ?? '') !== '') found.push(`!! ${name}\n`)
    }
    return found.join('')
  }

  return {
    ask: (...words) => answer(git(words)),
    compare: async (commit, globs) => {
      const fill = git(['read-tree', '--no-recurse-submodules', commit])
      const compare = git([...status, '--', ...globs.map(pathspec), ':(top,exclude,literal).agency'])
      return ((await answer(`${fill} && ${compare}`)) ?? '') + (await findHiders(fill))
    },
    get boxed() {
      return boxed
    },
  }
}

/** Makes a glob relative to the top of the repository, also if it begins with characters special to git. */
export const pathspec = (glob: string): string => `:(top,glob)${glob}`

const anywhere = (name: string): string => `:(top,glob)**/${name}`

const escapeGlob = (path: string): string => path.replace(/[\\*?[]/g, String.raw`\$&`)

const hiders = ['.gitignore', '.gitattributes']
const maxHiders = 20

/** Exit code of the script below if the machine has no room for a temporary directory. */
const noPlace = 97

/** Makes our own repository; the directory of the agent's is named, so that git does not find one above it. */
const prepareScript = (path: string): string => String.raw`
tree=$PWD/${shellQuote(path)}
own=$(mktemp -d) || exit ${noPlace}
trap 'rm -rf "$own"' EXIT
mkdir -p "$own/git/refs" "$own/git/info" || exit ${noPlace}
for name in HEAD packed-refs refs shallow; do
  [ ! -e "$tree/.git/$name" ] || cp -RP "$tree/.git/$name" "$own/git/" || exit 2
done
printf '[core]
	repositoryformatversion = 1
	bare = false
' >"$own/git/config"
! grep -qis '^[[:space:]]*objectformat[[:space:]]*=[[:space:]]*sha256' "$tree/.git/config" ||
  printf '[extensions]
	objectFormat = sha256
' >>"$own/git/config"
export GIT_DIR="$own/git" GIT_WORK_TREE="$tree" GIT_OBJECT_DIRECTORY="$tree/.git/objects" GIT_INDEX_FILE="$own/index"
export ${Object.entries(safeEnvironment)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}`

const git = (words: readonly string[]): string => shellCommand(['git', '--no-pager', ...settings, ...words])

const settings = settingWords([
  ...Object.entries(safeSettings),
  ['core.fileMode', 'true'],
  ['core.quotePath', 'true'],
  ...distrustingSettings,
])

const status = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty', '--no-renames']

const firstLine = (text: string): string | null => text.split('\n').find((line) => line.trim() !== '') ?? null
