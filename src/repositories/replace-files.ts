import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Git, gitError, type GitOptions } from './git.ts'
import type { FileReplacement } from './port.ts'

/**
 * Makes a commit with the files of another one, but for some. It has the same parents, message, author and time, so that
 * a command which looks at the history sees no difference, and the same call makes the same commit. No ref points to it.
 */
export async function replaceFiles(
  git: Git,
  mirror: string,
  commit: string,
  files: readonly FileReplacement[],
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agency-index-'))
  try {
    const options = { gitDir: mirror, environment: { GIT_INDEX_FILE: join(directory, 'index') } }
    await git.ask(['read-tree', commit], options)
    const lines: string[] = []
    for (const file of files) lines.push(`${await entryOf(git, mirror, commit, file)}\t${file.path}\0`)
    // Removed first: a file may stand where the other commit has a directory.
    lines.sort((one, other) => Number(other.startsWith(noMode)) - Number(one.startsWith(noMode)))
    await git.ask(['update-index', '--replace', '-z', '--index-info'], { ...options, input: lines.join('') })
    const tree = await git.ask(['write-tree'], options)
    return await commitLike(git, mirror, commit, tree)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const noMode = '0 '

async function entryOf(git: Git, mirror: string, commit: string, { path, as }: FileReplacement): Promise<string> {
  const nothing = `${noMode}${'0'.repeat(commit.length)}`
  if (as === null) return nothing
  if ('text' in as) {
    const object = await git.ask(['hash-object', '-w', '--stdin'], { gitDir: mirror, input: as.text })
    return `${(await modeOf(git, mirror, commit, path)) ?? '100644'} ${object}`
  }
  const [mode, , object] = ((await listed(git, mirror, as.commit, path)) ?? '').split(/[ \t]/)
  return mode === undefined || object === undefined ? nothing : `${mode} ${object}`
}

const listed = async (git: Git, mirror: string, commit: string, path: string): Promise<string | null> =>
  (await git.ask(['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path], { gitDir: mirror })) ||
  null

const modeOf = async (git: Git, mirror: string, commit: string, path: string): Promise<string | null> =>
  (await listed(git, mirror, commit, path))?.split(' ')[0] ?? null

async function commitLike(git: Git, mirror: string, commit: string, tree: string): Promise<string> {
  const options: GitOptions = { gitDir: mirror }
  const result = await git.run(['cat-file', 'commit', commit], options)
  if (result.exitCode !== 0) throw gitError(['cat-file'], result)
  const text = result.stdout.toString('utf8')
  const end = text.indexOf('\n\n')
  // A signature holds for the original tree only.
  const header = text.slice(0, end).replace(/^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/gm, '')
  const content = `${header.replace(/^tree \S+/, `tree ${tree}`).trimEnd()}${text.slice(end)}`
  return git.ask(['hash-object', '-t', 'commit', '-w', '--stdin'], { ...options, input: content })
}
