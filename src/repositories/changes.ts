import { type Git, gitError } from './git.ts'

export interface ChangedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted'
  readonly added: number
  readonly removed: number
  readonly binary: boolean
}

export interface Commit {
  readonly commit: string
  readonly parents: readonly string[]
  readonly author: string
  readonly email: string
  readonly at: string
  readonly subject: string
  readonly body: string
}

/** Disables configured helpers and guesses: a renamed file is one deleted and one added file. */
export const plainDiff = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', '--ignore-submodules=none']

/** Lists the files that differ. Invalid UTF-8 in a name becomes U+FFFD. */
export async function changedFiles(git: Git, mirror: string, from: string, to: string): Promise<ChangedFile[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--numstat', ...plainDiff, '--end-of-options', from, to]
  const words = (await git.ask(args, { gitDir: mirror })).split('\0')
  const status = new Map<string, ChangedFile['status']>()
  let index = 0
  for (; words[index]?.startsWith(':'); index += 2)
    status.set(words[index + 1] ?? '', statusOf(words[index]?.split(' ')[4] ?? ''))
  return words.slice(index).flatMap((word) => {
    const [added, removed, ...name] = word.split('\t')
    const path = name.join('\t')
    if (path === '') return []
    const counts = { added: Number(added) || 0, removed: Number(removed) || 0, binary: added === '-' }
    return [{ path, status: status.get(path) ?? 'modified', ...counts }]
  })
}

const statusOf = (letter: string): ChangedFile['status'] =>
  letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified'

/** Returns the output of `git diff`; a longer one is cut at the end of a line, with `cut` set. */
export async function diffText(
  git: Git,
  mirror: string,
  from: string,
  to: string,
  { path, maxBytes }: { path?: string | undefined; maxBytes: number },
): Promise<{ text: string; cut: boolean }> {
  const pathspec = path === undefined ? [] : ['--', pathspecOf(path)]
  const args = ['diff-tree', '-r', '-p', ...plainDiff, '--end-of-options', from, to, ...pathspec]
  const settings = [['core.quotePath', 'false']] as const
  const result = await git.run(args, { gitDir: mirror, maxOutputBytes: maxBytes, mayCut: true, settings })
  if (result.exitCode !== 0) throw gitError(args, result)
  const text = result.stdout.toString('utf8')
  return result.cut ? { text: text.slice(0, text.lastIndexOf('\n') + 1), cut: true } : { text, cut: false }
}

/** Matches a path literally; U+FFFD matches any bytes, because the original ones are unknown. */
const pathspecOf = (path: string): string =>
  path.includes('\uFFFD')
    ? `:(top,glob)${path.replace(/[\\*?[\]]/g, String.raw`\$&`).replaceAll('\uFFFD', '*')}`
    : `:(top,literal)${path}`

/** Lists commits, newest first. */
export async function listCommits(git: Git, mirror: string, from: string, to: string): Promise<Commit[]> {
  const format = ['%H', '%P', '%an', '%ae', '%aI', '%s', '%b'].join('%x00')
  const args = ['log', '-z', `--format=${format}%x00`, '--no-notes', '--end-of-options', `${from}..${to}`]
  const words = (await git.ask(args, { gitDir: mirror })).split('\0')
  const commits: Commit[] = []
  for (let index = 0; index + 7 < words.length; index += 8) {
    const [commit = '', parents = '', author = '', email = '', at = '', subject = '', body = ''] = words.slice(index)
    commits.push({ commit, parents: parents.split(' ').filter(Boolean), author, email, at, subject, body: body.trim() })
  }
  return commits
}
