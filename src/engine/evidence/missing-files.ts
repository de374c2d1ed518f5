import type { Checkout } from '../../workspaces/port.ts'
import { shellQuote } from '../../workspaces/quote.ts'

/** A file or directory of the agent's workspace that is not in its commit and not in the checkout of it. */
export interface MissingFile {
  readonly path: string
  /** A tool installs it, so a setup can install it too. */
  readonly installed: boolean
  /** It is a directory without files, which no commit can contain. */
  readonly isEmpty: boolean
}

/** Directories that tools fill. */
const installers = ['node_modules', '.venv', 'venv', 'vendor', 'site-packages']
const installed = new RegExp(`(?:^|/)(?:${installers.map((name) => name.replace('.', '\\.')).join('|')})(?:/|$)`)

const maxMissing = 3

/** The files of a copy of the agent's workspace, listed before a check could write some. */
export interface CopiedFiles extends Listed {
  /** Directories that are not committed and have no files. */
  readonly empty: ReadonlySet<string>
}

export async function listCopiedFiles(copy: Checkout, signal?: AbortSignal): Promise<CopiedFiles> {
  const listed = await list(copy, signal)
  const directories = [...listed.untracked].filter((path) => !installed.test(path)).slice(0, 200)
  return { ...listed, empty: await findEmpty(copy, directories, signal) }
}

/**
 * Finds the files that a check may lack: those that are in a copy of the agent's workspace, but neither committed nor in
 * the checkout of its commit. Returns those that the check or its output names; if there are none, the likeliest, without
 * the files of missing directories.
 */
export async function findMissingFiles(
  there: CopiedFiles,
  checkout: Checkout,
  { command, output }: { command: string; output: string },
  signal?: AbortSignal,
): Promise<{ missing: MissingFile[]; isNamed: boolean }> {
  const here = await list(checkout, signal)
  // A checkout may consist of some directories only: files that it lacks for that reason are committed.
  const missing = [...there.paths].filter((path) => !here.paths.has(path) && isBelow(path, there.untracked))
  const known = new Set(missing)
  // A word of a command, such as the name of a script, may also be the name of a directory.
  const byPath = missing.filter((path) => isNamed(path, output) || (/[./]/.test(path) && isNamed(path, command)))
  const named =
    byPath.length > 0 ? byPath : missing.filter((path) => !installed.test(path) && hasName(output, stemOf(path)))
  const rank = (path: string): number => (isNamed(path, command) ? 0 : installed.test(path) ? 2 : 1)
  const likely = missing.filter((path) => !known.has(parentOf(path))).sort((one, other) => rank(one) - rank(other))
  const chosen = (named.length > 0 ? withoutParents(named) : likely).slice(0, maxMissing)
  const files = chosen.map((path) => ({
    path,
    installed: installed.test(path),
    isEmpty: isBelow(path, there.empty),
  }))
  return { missing: files, isNamed: named.length > 0 }
}

/**
 * Removes everything from a copy of the agent's workspace that the agent did not commit, but for installed packages.
 * Resolves to false if that was not possible.
 */
export async function removeUncommittedFiles(copy: Checkout, signal?: AbortSignal): Promise<boolean> {
  const kept = installers.map((name) => `-e ${name}`).join(' ')
  const { exitCode } = await copy.run(`git clean -ffdxq ${kept}`, limitsOf(signal))
  return exitCode === 0
}

interface Listed {
  /** The paths of the upper levels and all untracked ones, the shortest first. */
  readonly paths: ReadonlySet<string>
  /** Files and whole directories that are not committed. */
  readonly untracked: ReadonlySet<string>
}

async function list(place: Checkout, signal: AbortSignal | undefined): Promise<Listed> {
  const { output } = await place.run(
    "git -c core.quotePath=false ls-files --others --directory -x .agency/ 2>/dev/null; find . -mindepth 1 -maxdepth 3 \\( -name .git -o -name .agency -o -name '*\n*' \\) -prune -o -print",
    limitsOf(signal),
  )
  const lines = output.split('\n')
  const found = lines.filter((line) => line.startsWith('./')).map((line) => line.slice(2))
  // Git quotes a name with special characters.
  const untracked = lines.filter((line) => /^[^."]|^\.[^/]/.test(line)).map((line) => line.replace(/\/$/, ''))
  const paths = [...new Set([...found, ...untracked])].sort((one, other) => one.length - other.length)
  return { paths: new Set(paths), untracked: new Set(untracked) }
}

/** Returns those of the paths that are directories without files. */
async function findEmpty(place: Checkout, paths: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const command = paths
    .map((path) => shellQuote(`./${path}`))
    .map(
      (path) => `[ -d ${path} ] && [ ! -L ${path} ] && [ -z "$(find ${path} ! -type d | head -n 1)" ] && echo ${path}`,
    )
    .join('\n')
  const { output } = await place.run(command, limitsOf(signal))
  return new Set(output.split('\n').map((line) => line.slice(2)))
}

const limitsOf = (signal: AbortSignal | undefined) => ({
  timeoutMs: 20_000,
  maxOutputBytes: 4_000_000,
  ...(signal === undefined ? {} : { signal }),
})

/** Reports whether a path, or one of its directories, is in the set. */
function isBelow(path: string, directories: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = parentOf(at)) if (directories.has(at)) return true
  return false
}

/** A package is named by its name, any other file by its path. */
function isNamed(path: string, output: string): boolean {
  const name = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)$/.exec(path)?.[1]
  if (name !== undefined) return hasName(output, name)
  return !installed.test(path) && (hasName(output, path) || hasName(output, withoutEnding(path)))
}

const withoutEnding = (path: string): string => path.replace(/(?<=[^/])\.\w+$/, '')

/** `impl` of `lib/impl.js`; empty for names that mean little. */
function stemOf(path: string): string {
  const stem = withoutEnding(path.split('/').at(-1) ?? '')
  return stem.length < 3 || /^(?:index|main|app|src|test|tests|lib)$/.test(stem) ? '' : stem
}

function hasName(text: string, name: string): boolean {
  if (name === '') return false
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/[\w.-]/.test(text.charAt(at - 1)) && !/[\w-]/.test(text.charAt(at + name.length))) return true
  return false
}

const parentOf = (path: string): string => path.split('/').slice(0, -1).join('/')

const withoutParents = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)))
