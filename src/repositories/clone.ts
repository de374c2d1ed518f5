import { appendFile, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { copyIfExists } from './copy.ts'
import { agencyDirectory } from '../workspaces/path.ts'
import { type Author, plainAuthor } from './author.ts'
import type { Git, GitOptions } from './git.ts'
import { killGitsOn } from './orphans.ts'
import { removeTree } from '../workspaces/remove-tree.ts'

export interface CloneRequest {
  readonly mirror: string
  readonly branch: string
  /** The commit from which the branch starts. */
  readonly start: string
  readonly author: Author
}

export interface CloneOptions {
  /** Only these paths of the commit are written. */
  readonly paths?: readonly string[] | undefined
  /**
   * The directory has files of this commit, which are brought to the other one: those of both are written, those of this
   * one alone are removed, and all others stay. By default, files without a repository stay unchanged.
   */
  readonly over?: string
  /** Git carries it as AGENCY_LAUNCH_ID: a git that outlives the daemon is found by it. */
  readonly launchId?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates a working tree on a branch of its own, in a directory that may already contain other files. It shares the
 * mirror's objects: only the files are copied. The repository is created beside the directory and moved into it last, so
 * that the files are complete if a repository exists; until then every step is repeated. An existing repository belongs
 * to an agent: no git runs on it.
 */
export async function makeClone(
  git: Git,
  request: CloneRequest,
  into: string,
  { paths, over, launchId, signal }: CloneOptions = {},
): Promise<void> {
  const making = join(dirname(into), `.${basename(into)}.git`)
  const target = join(into, '.git')
  if (await isRepository(target)) return
  const wasInterrupted = await exists(making)
  if (wasInterrupted) await killGitsOn(making)
  await removeTree(making)
  await removeTree(target)
  await mkdir(into, { recursive: true })
  // Files without a repository are the work of an agent whose `.git` was lost: they stay unchanged.
  const keepsFiles =
    over === undefined && !wasInterrupted && (await readdir(into)).some((name) => name !== agencyDirectory)
  await writeRepository(git, request, making)
  const parts = paths?.map(plainPath)
  // The top of the repository is everything.
  if (parts !== undefined && !parts.includes('')) await makeSparse(making, parts)
  const options: GitOptions = {
    gitDir: making,
    cwd: into,
    settings: [['core.bare', 'false']],
    signal,
    ...(launchId === undefined ? {} : { environment: { AGENCY_LAUNCH_ID: launchId } }),
  }
  if (over !== undefined) await git.ask(['read-tree', over], options)
  const update = keepsFiles ? [] : ['-u']
  await git.ask([`--work-tree=${into}`, 'read-tree', '--reset', ...update, request.start], options)
  await rename(making, target)
}

/**
 * Checks for the files by which git recognises a repository. Whether the rest is valid is checked later, inside the
 * box.
 */
async function isRepository(path: string): Promise<boolean> {
  const [itself, head, objects] = await Promise.all(['', 'HEAD', 'objects'].map((name) => kindOf(join(path, name))))
  return itself === 'directory' && head === 'file' && objects === 'directory'
}

async function kindOf(path: string): Promise<'file' | 'directory' | 'other' | null> {
  const stats = await lstat(path).catch(() => null)
  if (stats === null) return null
  return stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other'
}

const exists = async (path: string): Promise<boolean> => (await kindOf(path)) !== null

/**
 * Writes the repository's files directly: `git clone` would need another process, a template, and an empty directory.
 */
async function writeRepository(git: Git, request: CloneRequest, path: string): Promise<void> {
  const { mirror, branch, start } = request
  const ref = join(path, 'refs', 'heads', branch)
  for (const folder of [join(path, 'objects', 'info'), join(path, 'objects', 'pack'), join(path, 'info'), dirname(ref)])
    await mkdir(folder, { recursive: true })
  const tags = await git.ask(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/tags'], { gitDir: mirror })
  await Promise.all([
    writeFile(join(path, 'HEAD'), `ref: refs/heads/${branch}\n`),
    writeFile(ref, `${start}\n`),
    writeFile(join(path, 'packed-refs'), tags === '' ? '' : `${tags}\n`),
    writeFile(join(path, 'objects', 'info', 'alternates'), `${join(mirror, 'objects')}\n`),
    writeFile(join(path, 'info', 'exclude'), `/${agencyDirectory}/\n`),
    writeFile(join(path, 'config'), configOf(request)),
    copyIfExists(join(mirror, 'shallow'), join(path, 'shallow')),
  ])
}

/** Returns a path as git compares it: `a/b` for `./a//b/`, and nothing for the top. */
const plainPath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

/** Makes git write only these files and directories; the index has them all, so that the others do not count as deleted. */
async function makeSparse(path: string, paths: readonly string[]): Promise<void> {
  const patterns = paths.map((each) => `/${each.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)}`)
  await writeFile(join(path, 'info', 'sparse-checkout'), patterns.map((pattern) => `${pattern}\n`).join(''))
  await appendFile(join(path, 'config'), '[core]\n\tsparseCheckout = true\n')
}

function configOf({ author, start }: CloneRequest): string {
  const { name, email } = plainAuthor(author)
  const isSha256 = start.length === 64
  return [
    '[core]',
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    '\tbare = false',
    '\tfilemode = true',
    '\tlogAllRefUpdates = true',
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    '[user]',
    `\tname = ${quoted(name)}`,
    `\temail = ${quoted(email)}`,
    '[gc]',
    '\tauto = 0',
    '[commit]',
    '\tgpgSign = false',
    '[advice]',
    '\tdetachedHead = false',
    '',
  ].join('\n')
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`
