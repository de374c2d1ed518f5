import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { copyIfExists } from './copy.ts'
import { agencyDirectory } from '../workspaces/path.ts'
import { type Author, plainAuthor } from './author.ts'
import type { Git } from './git.ts'
import { killGitsOn } from './orphans.ts'

export interface CloneRequest {
  readonly mirror: string
  readonly branch: string
  /** The commit from which the branch starts. */
  readonly start: string
  readonly author: Author
}

/**
 * A working tree on a branch of its own, in a directory that may hold other things already. Its objects are the mirror's:
 * nothing is copied but the files. The repository is made beside the directory and moved into it last, so that where one
 * is, the files are complete; until then everything is done again. One that is there is an agent's: no git runs on it.
 */
export async function makeClone(git: Git, order: CloneRequest, into: string): Promise<void> {
  const making = join(dirname(into), `.${basename(into)}.git`)
  const target = join(into, '.git')
  if (await isRepository(target)) return
  const wasInterrupted = await isThere(making)
  if (wasInterrupted) await killGitsOn(making)
  await rm(making, { recursive: true, force: true })
  await rm(target, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  // Files without a repository are work of an agent that has lost its `.git`: they stay as they are.
  const keepsFiles = !wasInterrupted && (await readdir(into)).some((name) => name !== agencyDirectory)
  await layOut(git, order, making)
  const update = keepsFiles ? [] : ['-u']
  const settings = [['core.bare', 'false']] as const
  await git.ask([`--work-tree=${into}`, 'read-tree', '--reset', ...update, order.start], {
    gitDir: making,
    cwd: into,
    settings,
  })
  await rename(making, target)
}

/** What git needs to take a directory for a repository. Whether the rest is sound is found out where it may do no harm. */
async function isRepository(path: string): Promise<boolean> {
  const [itself, head, objects] = await Promise.all(['', 'HEAD', 'objects'].map((name) => kindOf(join(path, name))))
  return itself === 'directory' && head === 'file' && objects === 'directory'
}

async function kindOf(path: string): Promise<'file' | 'directory' | 'other' | null> {
  const found = await lstat(path).catch(() => null)
  if (found === null) return null
  return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other'
}

const isThere = async (path: string): Promise<boolean> => (await kindOf(path)) !== null

/** By hand: `git clone` would take another process, a template, and a directory that is empty. */
async function layOut(git: Git, order: CloneRequest, path: string): Promise<void> {
  const { mirror, branch, start } = order
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
    writeFile(join(path, 'config'), configOf(order)),
    copyIfExists(join(mirror, 'shallow'), join(path, 'shallow')),
  ])
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
