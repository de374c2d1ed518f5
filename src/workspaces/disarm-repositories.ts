import { spawn } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'

import { agencyDirectory } from './path.ts'
import { shellQuote } from './quote.ts'
import type { CommandLimits, Workspace } from './port.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Takes everything from the repositories in a copied directory by which their maker could run a program, hide a file or
 * lead git elsewhere: hooks, settings, excludes, attributes, the index and links. Commits and names of commits stay. The
 * objects of a mirror may be borrowed, if it is named. Resolves to the directories of the repositories that are left.
 */
export async function disarmRepositories(root: string, { mirror = null }: { mirror?: string | null } = {}) {
  const disarmed: Buffer[] = []
  for (const path of await findRepositories(root)) {
    const isKept = (await lstat(path)).isDirectory() && (await disarm(path, mirror))
    if (isKept) disarmed.push(path.subarray(Buffer.byteLength(root) + 1, path.length - suffix.length))
    // A file that names another directory as the repository, a link to one, or no repository at all.
    else await removeTree(path)
  }
  return disarmed.map((path) => path.toString('utf8'))
}

/** Fills the index of each repository from its newest commit, so that `git status` and `git diff` can be believed. */
export async function fillIndexes(
  workspace: Pick<Workspace, 'run'>,
  repositories: readonly string[],
  limits: CommandLimits = { timeoutMs: 60_000, maxOutputBytes: 1_000 },
): Promise<void> {
  if (repositories.length === 0) return
  const fill = repositories.map((path) => `git -C ${shellQuote(`./${path}`)} read-tree --no-recurse-submodules HEAD`)
  // A repository without a commit has an empty index, and a broken one cannot be read by anybody.
  await workspace.run(`{ ${fill.join('\n')}\n} >/dev/null 2>&1`, limits)
}

const suffix = '/.git'
/** More repositories than any work has; each is read and written. */
const maxRepositories = 1_000

/** Finds every entry with the name of a repository, without following links. */
function findRepositories(root: string): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>()
  const child = spawn('find', [root, '-mindepth', '1', '-name', basename(suffix), '-prune', '-print0'], {
    env: { PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.once('error', reject)
  // Directories that nobody may read were not copied either, so its exit code says nothing.
  child.once('close', () => {
    const paths = split(Buffer.concat(chunks))
    if (paths.length > maxRepositories) reject(new Error(`more than ${maxRepositories} repositories in ${root}`))
    else resolve(paths)
  })
  return promise
}

function split(bytes: Buffer): Buffer[] {
  const paths: Buffer[] = []
  for (let from = 0, to = bytes.indexOf(0); to >= 0; from = to + 1, to = bytes.indexOf(0, from))
    paths.push(bytes.subarray(from, to))
  return paths
}

const keptFiles = new Set(['HEAD', 'packed-refs', 'shallow'])
const keptDirectories = new Set(['objects', 'refs', 'reftable'])

/** Resolves to false if the directory is not a repository. */
async function disarm(path: Buffer, mirror: string | null): Promise<boolean> {
  const at = (name: string): Buffer => Buffer.concat([path, Buffer.from(`/${name}`)])
  const settings = await readText(at('config'))
  for (const entry of await readdir(path, { withFileTypes: true, encoding: 'buffer' })) {
    const name = entry.name.toString('latin1')
    const isKept = entry.isDirectory() ? keptDirectories.has(name) : entry.isFile() && keptFiles.has(name)
    if (!isKept) await removeTree(Buffer.concat([path, Buffer.from('/'), entry.name]))
  }
  const borrowed = await readText(at('objects/info/alternates'))
  // Statements about objects that git would believe instead of the objects themselves.
  for (const name of ['objects/info', 'objects/pack/multi-pack-index']) await removeTree(at(name))
  if (mirror !== null && borrowed === `${mirror}/objects\n`) {
    await mkdir(at('objects/info'))
    await writeFile(at('objects/info/alternates'), borrowed)
  }
  const [head, objects] = await Promise.all([isThere(at('HEAD')), isThere(at('objects'))])
  if (!head || !objects) return false
  await writeFile(at('config'), harmlessSettings(settings))
  await mkdir(at('info'))
  await writeFile(at('info/exclude'), `/${agencyDirectory}/\n`)
  return true
}

const isThere = (path: Buffer): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Reads a regular file of a sensible size; nothing else is a setting. */
async function readText(path: Buffer): Promise<string> {
  const found = await lstat(path).catch(() => null)
  return found?.isFile() === true && found.size < 256 * 1024 ? readFile(path, 'utf8') : ''
}

/** Returns the settings that only name something: the format, the author, remotes and the branches that follow them. */
function harmlessSettings(text: string): string {
  // An agent wrote them: each pattern looks at a trimmed line, in time that grows with its length only.
  const lines = text
    .split('\n')
    .slice(0, 10_000)
    .map((line) => line.trim())
  const isSha256 = lines.some((line) => /^objectformat\s*=\s*sha256$/i.test(line))
  const isReftable = lines.some((line) => /^refstorage\s*=\s*reftable$/i.test(line))
  const extensions = [
    ...(isSha256 ? ['\tobjectFormat = sha256'] : []),
    ...(isReftable ? ['\trefStorage = reftable'] : []),
  ]
  return [
    '[core]',
    `\trepositoryformatversion = ${extensions.length > 0 ? 1 : 0}`,
    '\tbare = false',
    '\tfilemode = true',
    ...(extensions.length > 0 ? ['[extensions]', ...extensions] : []),
    '[gc]',
    '\tauto = 0',
    ...namesIn(lines),
    '',
  ].join('\n')
}

const harmlessNames: Readonly<Record<string, readonly string[]>> = {
  user: ['name', 'email'],
  remote: ['url', 'fetch'],
  branch: ['remote', 'merge'],
}

/** Reads plain lines only: a name with quotes, escapes or a continuation is left out. */
function namesIn(lines: readonly string[]): string[] {
  const kept: string[] = []
  let allowed: readonly string[] = []
  for (const line of lines) {
    const section = /^\[(\w+)(?: "([\w./@+-]+)")?\]$/.exec(line)
    if (section !== null) {
      const [, name = '', part] = section
      allowed = (name === 'user') === (part === undefined) ? (harmlessNames[name] ?? []) : []
      if (allowed.length > 0) kept.push(part === undefined ? `[${name}]` : `[${name} "${part}"]`)
    } else if (line.startsWith('[')) allowed = []
    else {
      const setting = /^(\w+)\s*=([^"\\#;]*)$/.exec(line)
      if (setting !== null && allowed.includes(setting[1] as string))
        kept.push(`\t${setting[1]} = ${(setting[2] as string).trim()}`)
    }
  }
  return kept
}
