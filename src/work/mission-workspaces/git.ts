import { execFile } from 'node:child_process'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { refusal } from '../../kernel/errors.ts'
import type { Workspace } from '../../workspaces/port.ts'

/**
 * Initialises git in an empty directory before any agent has access to it: the only time that git runs there outside a
 * box.
 */
export async function initialiseGit(path: string): Promise<void> {
  const environment = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
  try {
    await promisify(execFile)('git', ['init', '--quiet', '--template=', '--initial-branch=main', path], {
      env: environment,
      timeout: 30_000,
    })
  } catch (error) {
    throw refusal('unsupported', 'a workspace needs git, but git could not be run', {
      hint: 'Install git, for example with "apt install git".',
      cause: error,
    })
  }
  await promisify(execFile)('mkdir', ['-p', join(path, '.git', 'info')], { env: environment })
  await appendFile(join(path, '.git', 'info', 'exclude'), '/.agency/\n')
}

export interface Changes {
  created: string[]
  modified: string[]
  deleted: string[]
}

const maxPaths = 1_000
const limits = { timeoutMs: 60_000, maxOutputBytes: 1_000_000 }

/**
 * Adds all files to a separate index, so that the agent's staged files stay unchanged. Agency's own directory is not the
 * agent's work; excluding it with `git add` fails if it is already ignored.
 */
const inSeparateIndex = (
  then: string,
): string => `dir="$(git rev-parse --git-dir)" && export GIT_INDEX_FILE="$dir/agency-index"
git read-tree --empty && git add --all . && git rm -r -q --cached --ignore-unmatch -- .agency && ${then}
code=$?; rm -f "$dir/agency-index"; exit $code`

/** Writes the current files as a git tree and returns its id; null if git fails. Runs in the box, as agents do. */
export async function treeOf(workspace: Workspace): Promise<string | null> {
  const { exitCode, output } = await workspace.run(inSeparateIndex('git write-tree'), limits)
  const tree = output.trim().split('\n').at(-1) ?? ''
  return exitCode === 0 && /^[0-9a-f]{40,64}$/.test(tree) ? tree : null
}

/** Lists the changes since a tree; null if git fails. */
export async function changesSince(workspace: Workspace, before: string): Promise<Changes | null> {
  const diff = `git -c core.quotePath=true diff-tree -r --no-renames --name-status ${before} "$(git write-tree)"`
  const { exitCode, output } = await workspace.run(inSeparateIndex(diff), limits)
  if (exitCode !== 0) return null
  const changes: Changes = { created: [], modified: [], deleted: [] }
  for (const line of output.split('\n')) {
    const [, status, path] = /^([ADMT])\t(.+)$/.exec(line) ?? []
    if (path === undefined) continue
    const kind = status === 'A' ? 'created' : status === 'D' ? 'deleted' : 'modified'
    if (changes[kind].length < maxPaths) changes[kind].push(plainPath(path))
  }
  return changes
}

/** Restores every file of a tree: removes created files, restores changed and deleted ones. */
export async function restore(workspace: Workspace, before: string): Promise<boolean> {
  const command = inSeparateIndex(`git read-tree --reset -u ${before}`)
  return (await workspace.run(command, limits)).exitCode === 0
}

/** Decodes a path: git quotes unusual names, with octal bytes. */
function plainPath(quoted: string): string {
  if (!quoted.startsWith('"')) return quoted
  const bytes: number[] = []
  const text = quoted.slice(1, -1)
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '\\') bytes.push(...Buffer.from(text[at] as string))
    else if (/[0-7]/.test(text[at + 1] ?? '')) {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 4), 8))
      at += 3
    } else {
      at += 1
      bytes.push((escapes[text[at] ?? ''] ?? text[at] ?? '').charCodeAt(0))
    }
  }
  return Buffer.from(bytes).toString('utf8')
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' }
