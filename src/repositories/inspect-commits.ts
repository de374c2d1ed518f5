import { shorten } from '../kernel/text.ts'
import { type Git, gitError } from './git.ts'
import { findInstalled, type Installed } from './installed.ts'
import { isAgencyPath } from './paths.ts'
import { tooLarge } from './pack.ts'
import { revisionsOf } from './refs.ts'

export interface Rejection {
  readonly why: string
  /** The way back, if it is not the usual one. */
  readonly remedy?: string
  readonly files: readonly string[]
}

export interface OwnWork {
  readonly start: string
  readonly commit: string
  /** The tips of others' work that may be among its ancestors: that was inspected when it came in. */
  readonly known: readonly string[]
}

/**
 * Returns why an agent's commits are rejected, or null. Every commit counts: content that a later commit removes is
 * still in the history.
 */
export async function inspectCommits(
  git: Git,
  repository: string,
  work: OwnWork,
  maxBytes: number,
): Promise<Rejection | null> {
  const rejection = await findRejection(git, repository, work, maxBytes)
  // A further commit would not help: the content must not be in any commit.
  const undo = `Undo the commits, keep the files (git reset --soft ${work.start}), remove these files, and commit the rest.`
  return rejection === null ? null : { ...rejection, why: `${rejection.why}. ${rejection.remedy ?? undo}` }
}

async function findRejection(git: Git, repository: string, work: OwnWork, maxBytes: number): Promise<Rejection | null> {
  const entries = await changesOf(git, repository, work)
  if (entries === null) return { why: 'far too many files were committed to be inspected', files: [] }
  const agency = named(entries.filter(({ path }) => isAgencyPath(path)))
  if (agency.length > 0)
    return {
      why: `files under .agency/ were committed, which is not part of the repository: ${few(agency)}`,
      files: agency,
    }
  const installed = await newlyInstalled(git, repository, work.start, entries)
  if (installed.length > 0) {
    const listed = few(installed.map(({ directory, files }) => `${directory}/ (${files} files)`))
    const [are, them] = installed.length === 1 ? ['is', 'it'] : ['are', 'them']
    return {
      why: `${listed} ${are} not ignored and would be committed: add ${them} to .gitignore or remove ${them}`,
      remedy: `First undo the commits and keep the files (git reset ${work.start}); then commit the rest.`,
      files: installed.map(({ directory }) => directory),
    }
  }
  const links = await newGitlinks(git, repository, work.start, entries)
  if (links.length > 0)
    return {
      why: `nested repositories were committed instead of their files: ${few(links)}`,
      files: links,
    }
  return checkSize(git, repository, entries, maxBytes)
}

/** Returns directories of installed packages and build results that the start does not have. */
async function newlyInstalled(
  git: Git,
  repository: string,
  start: string,
  entries: readonly Entry[],
): Promise<Installed[]> {
  const installed = findInstalled(named(entries))
  if (installed.length === 0) return []
  const known = await git.ask(['ls-tree', '-d', '-r', '-z', '--name-only', start], { gitDir: repository })
  const directories = new Set(known.split('\0'))
  return installed.filter(({ directory }) => !directories.has(directory))
}

interface Entry {
  readonly mode: string
  readonly object: string
  readonly path: string
}

const gitlink = '160000'
const maxListBytes = 128 * 1024 ** 2

/** Lists every entry that a commit adds or changes; for a merge commit, the entries that differ from all parents. */
async function changesOf(git: Git, repository: string, { commit, known }: OwnWork): Promise<Entry[] | null> {
  const commits = await git.ask(['rev-list', '--stdin'], { gitDir: repository, input: revisionsOf(commit, known) })
  const args = [
    'diff-tree',
    '--stdin',
    '-r',
    '-c',
    '-z',
    '--raw',
    '--root',
    '--no-renames',
    '--no-commit-id',
    '--no-abbrev',
  ]
  const result = await git.run(args, {
    gitDir: repository,
    input: `${commits}\n`,
    maxOutputBytes: maxListBytes,
    mayCut: true,
    maxMemoryBytes: 640 * 1024 ** 2,
  })
  // A few small trees, each containing the next ten times, expand to more files than fit in any machine.
  if (result.cut || /out of memory|malloc|mmap/i.test(result.stderr)) return null
  if (result.exitCode !== 0) throw gitError(args, result)
  const words = result.stdout.toString('utf8').split('\0')
  const entries: Entry[] = []
  for (let index = 0; index + 1 < words.length; index += 2) {
    const { mode, object } = headingOf(words[index] ?? '')
    if (mode !== '000000') entries.push({ mode, object, path: words[index + 1] ?? '' })
  }
  return entries
}

/**
 * Parses a raw heading: `:` for each parent, the modes in each parent and here, the objects in each and here, the kind
 * of change.
 */
function headingOf(words: string): { mode: string; object: string } {
  const parents = /^:*/.exec(words)?.[0].length ?? 0
  const fields = words.slice(parents).split(' ')
  return { mode: fields[parents] ?? '', object: fields[2 * parents + 1] ?? '' }
}

/**
 * Returns new gitlinks. An existing submodule may change its commit; a new one is a directory with a `.git` of its own,
 * whose files are not collected.
 */
async function newGitlinks(git: Git, repository: string, start: string, entries: readonly Entry[]): Promise<string[]> {
  const links = named(entries.filter(({ mode }) => mode === gitlink))
  if (links.length === 0) return []
  const tree = (await git.run(['ls-tree', '-r', '-z', start], { gitDir: repository })).stdout.toString('utf8')
  const known = new Set(
    tree
      .split('\0')
      .filter((line) => line.startsWith(`${gitlink} `))
      .map((line) => line.slice(line.indexOf('\t') + 1)),
  )
  return links.filter((path) => !known.has(path))
}

/** Checks the size of the unpacked files: a file that packs well is still large. */
async function checkSize(
  git: Git,
  repository: string,
  entries: readonly Entry[],
  maxBytes: number,
): Promise<Rejection | null> {
  const paths = new Map(entries.filter(({ mode }) => mode !== gitlink).map(({ object, path }) => [object, path]))
  const listed = await git.ask(['cat-file', '--batch-check=%(objectname) %(objectsize)', '--buffer'], {
    gitDir: repository,
    input: [...paths.keys()].map((object) => `${object}\n`).join(''),
  })
  const sizes = listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ path: paths.get(line.split(' ')[0] ?? '') ?? '', bytes: Number(line.split(' ')[1]) }))
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= maxBytes) return null
  const largest = sizes.sort((a, b) => b.bytes - a.bytes).slice(0, 5)
  return {
    why: `${tooLarge(maxBytes)}: ${few(largest.map(({ path, bytes }) => `${path} (${Math.ceil(bytes / 1024 ** 2)} MB)`))}`,
    files: largest.map(({ path }) => path),
  }
}

const named = (entries: readonly Entry[]): string[] => [...new Set(entries.map(({ path }) => path))]

const few = (names: readonly string[]): string => {
  const shown = names.slice(0, 5).map((name) => shorten(name, 120))
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}
