import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterAll } from 'vitest'

import { systemClock } from '../../src/kernel/clock.ts'
import { noLog } from '../../src/kernel/log.ts'
import { createGit } from '../../src/repositories/git.ts'
import { createMirrors } from '../../src/repositories/mirrors.ts'
import { sourceInside } from '../../src/workspaces/file-source.ts'
import { readInside, writeInside } from '../../src/workspaces/files.ts'
import { enterDirectly } from '../../src/workspaces/enter-directly.ts'
import type { Workspace } from '../../src/workspaces/port.ts'

/** Runs git as a user would, with all of a repository's own settings (hooks, filters) in force. */
export function plainGit(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: plainEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

export const plainEnvironment = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

/** Creates a folder for one test file, with functions that create repositories, mirrors and workspaces in it. */
export function createGitBench() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agency-git-')))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const git = createGit({ clock: systemClock })
  const mirrorRoot = join(root, 'mirrors')
  const mirrors = createMirrors({ root: mirrorRoot, git, log: noLog })
  const author = { name: 'Coder', email: 'coder@example.com' }
  let count = 0

  const folder = (name = 'folder'): string => join(root, `${name}-${(count += 1)}`)
  const repository = (files: Record<string, string> = { 'README.md': 'hello\n' }, name = 'shop'): string => {
    const path = folder(name)
    mkdirSync(path, { recursive: true })
    plainGit(path, 'init', '--quiet', '--initial-branch=main')
    commitFiles(path, files)
    return path
  }

  return {
    root,
    git,
    mirrorRoot,
    mirrors,
    author,
    folder,
    repository,
    /** Creates a clone in a workspace, as the engine does for a brief. */
    workplace: async (source = repository(), branch = `feature/run_1/main/brf_${(count += 1)}`): Promise<Workplace> => {
      const { path: mirror, commit: start } = await mirrors.refresh(source)
      const workspace = plainWorkspace(folder('workspace'))
      await mirrors.clone({ mirror, branch, start, author }, workspace.path)
      return { source, mirror, start, branch, workspace, path: workspace.path }
    },
  }
}

/** Creates a workspace without a box, sufficient for git. */
export function plainWorkspace(path: string): Workspace {
  mkdirSync(join(path, '.agency', 'outbox'), { recursive: true })
  mkdirSync(`${path}.home`, { recursive: true })
  return {
    path,
    home: `${path}.home`,
    boxed: false,
    enter: enterDirectly(path),
    read: (name, maxBytes) => readInside(path, name, maxBytes),
    source: (name) => sourceInside(path, name),
    write: (name, text) => writeInside(path, name, text),
    run: () => Promise.reject(new Error('nothing of this runs a command')),
  }
}

export interface Workplace {
  readonly source: string
  readonly mirror: string
  readonly start: string
  readonly branch: string
  readonly workspace: Workspace
  readonly path: string
}

export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

export function commitFiles(folder: string, files: Record<string, string | Buffer>, message = 'a commit'): string {
  writeFiles(folder, files)
  plainGit(folder, 'add', '--all')
  plainGit(folder, 'commit', '--quiet', '--no-verify', '--message', message)
  return plainGit(folder, 'rev-parse', 'HEAD')
}

/** Returns the state of a repository, for a comparison that shows that nothing changed. */
export function fingerprint(path: string): Record<string, string> {
  const folder = plainGit(path, 'rev-parse', '--absolute-git-dir')
  return {
    refs: plainGit(path, 'for-each-ref'),
    config: plainGit(path, 'config', '--list', '--local'),
    status: plainGit(path, 'status', '--porcelain'),
    files: readdirSync(folder).sort().join(' '),
  }
}
