import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

import { systemClock } from '../../src/kernel/clock.ts'
import { engineAuthor } from '../../src/repositories/author.ts'
import { createGit } from '../../src/repositories/git.ts'
import { createMirrors } from '../../src/repositories/mirrors.ts'
import type { Repositories } from '../../src/repositories/port.ts'
import { createRepositories } from '../../src/repositories/repositories.ts'
import { createDirectoryWorkspaces } from '../../src/workspaces/directory.ts'
import type { Workspaces } from '../../src/workspaces/port.ts'
import { createSeenLog } from './server.ts'

/** An operator's repository with real git in a folder of its own. */
export interface TestRepository {
  readonly path: string
  git(...args: string[]): string
  /** Runs a program in the repository. */
  run(program: string, ...args: string[]): string
  write(path: string, text: string): void
  read(path: string): string
  /** Commits all files; returns the commit's id. */
  commit(message: string): string
}

export function makeRepository(
  files: Readonly<Record<string, string>> = { 'README.md': '# A project\n' },
): TestRepository {
  const path = mkdtempSync(join(tmpdir(), 'agency-repository-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const repository: TestRepository = {
    path,
    git: (...args) => repository.run('git', '-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args),
    run: (program, ...args) =>
      execFileSync(program, args, {
        cwd: path,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', HOME: path, GIT_CONFIG_NOSYSTEM: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim(),
    write: (name, text) => {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), text)
    },
    read: (name) => readFileSync(join(path, name), 'utf8'),
    commit: (message) => {
      repository.git('add', '-A')
      repository.git('commit', '--quiet', '-m', message)
      return repository.git('rev-parse', 'HEAD')
    },
  }
  repository.git('init', '--quiet', '--initial-branch=main')
  for (const [name, text] of Object.entries(files)) repository.write(name, text)
  repository.commit('Begin')
  return repository
}

/** Opens mirrors and clones, without a box, in a folder that is removed with the test. */
export function openRepositories(): { repositories: Repositories; workspaces: Workspaces; root: string } {
  const root = mkdtempSync(join(tmpdir(), 'agency-mirrors-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const git = createGit({ clock: systemClock })
  const mirrors = createMirrors({ root: join(root, 'mirrors'), git, log: createSeenLog([]) })
  const workspaces = createDirectoryWorkspaces({
    root: join(root, 'workspaces'),
    materialise: (clone, path, options) => mirrors.clone({ ...clone, author: engineAuthor }, path, options),
  })
  return { repositories: createRepositories({ git, mirrors }), workspaces, root }
}
