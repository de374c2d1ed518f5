import type { Checkout } from '../../workspaces/port.ts'

/** A file or directory of the agent's workspace that the checkout of its commit does not have. */
export interface MissingFile {
  readonly path: string
  /** A tool installs it, so a setup can install it too. */
  readonly installed: boolean
}

/** Directories that tools fill. */
const installed = /(?:^|\/)(?:node_modules|\.venv|venv|vendor|site-packages)(?:\/|$)/

/**
 * Finds the files that a check may lack: those that are in a copy of the agent's workspace, but not in the checkout of
 * its commit. `named` are those that the check or its output names; `all` leaves out files of missing directories.
 */
export async function findMissingFiles(
  copy: Checkout,
  checkout: Checkout,
  { command, output }: { command: string; output: string },
  signal?: AbortSignal,
): Promise<{ named: MissingFile[]; all: MissingFile[] }> {
  const [there, here] = await Promise.all([list(copy, signal), list(checkout, signal)])
  const missing = [...there].filter((path) => !here.has(path))
  const known = new Set(missing)
  const all = missing.filter((path) => !known.has(parentOf(path)))
  // A word of a command, such as the name of a script, may also be the name of a directory.
  const byPath = missing.filter((path) => isNamed(path, output) || (/[./]/.test(path) && isNamed(path, command)))
  const named =
    byPath.length > 0 ? byPath : missing.filter((path) => !installed.test(path) && hasName(output, stemOf(path)))
  return { named: withoutParents(named).map(fileOf), all: all.map(fileOf) }
}

const fileOf = (path: string): MissingFile => ({ path, installed: installed.test(path) })

/** Lists the paths of the upper levels, the shortest first. */
async function list(place: Checkout, signal: AbortSignal | undefined): Promise<Set<string>> {
  const { output } = await place.run(
    "find . -mindepth 1 -maxdepth 3 \\( -name .git -o -name .agency -o -name '*\n*' \\) -prune -o -print",
    { timeoutMs: 20_000, maxOutputBytes: 4_000_000, ...(signal === undefined ? {} : { signal }) },
  )
  return new Set(
    output
      .split('\n')
      .filter((line) => line.startsWith('./'))
      .map((line) => line.slice(2))
      .sort((one, other) => one.length - other.length),
  )
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
