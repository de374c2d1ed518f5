import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { systemClock } from '../../../src/kernel/clock.ts'
import { noLog } from '../../../src/kernel/log.ts'
import { createGit } from '../../../src/repositories/git.ts'
import { createMirrors, type Mirrors } from '../../../src/repositories/mirrors.ts'
import type { Repositories } from '../../../src/repositories/port.ts'
import { createRepositories } from '../../../src/repositories/repositories.ts'
import { enterDirectly } from '../../../src/workspaces/enter-directly.ts'
import { sourceInside } from '../../../src/workspaces/file-source.ts'
import { readInside, writeInside } from '../../../src/workspaces/files.ts'

/** A mirror of a small repository, into which the work of agents is collected as the engine does it. */
export interface CommitStage {
  readonly root: string
  readonly source: string
  readonly mirrors: Mirrors
  readonly repositories: Repositories
  count: number
}

export async function openCommitStage(): Promise<CommitStage> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agency-commits-')))
  const git = createGit({ clock: systemClock })
  const mirrors = createMirrors({ root: join(root, 'mirrors'), git, log: noLog })
  const source = join(root, 'shop')
  mkdirSync(source)
  gitIn(source, ['init', '--quiet', '--initial-branch=main'])
  commit(source, { files: { 'README.md': 'hello\n' } })
  return { root, source, mirrors, repositories: createRepositories({ git, mirrors }), count: 0 }
}

export const closeCommitStage = ({ root }: CommitStage): void => rmSync(root, { recursive: true, force: true })

export interface MadeCommit {
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly message?: string
  readonly author?: string
  readonly committer?: string
  /** A header of its own, which no log shows. */
  readonly header?: string
}

/** Commits in a fresh clone and reports whether the commits came into the mirror. */
export async function isCollected(stage: CommitStage, ...commits: readonly MadeCommit[]): Promise<boolean> {
  stage.count += 1
  const branch = `feature/run_1/main/brf_${stage.count}`
  const { path: mirror, commit: start } = await stage.mirrors.refresh(stage.source)
  const path = join(stage.root, `workspace-${stage.count}`)
  mkdirSync(join(path, '.agency', 'outbox'), { recursive: true })
  mkdirSync(`${path}.home`)
  const author = { name: 'Coder', email: 'coder@example.com' }
  await stage.mirrors.clone({ mirror, branch, start, author }, path)
  for (const each of commits) commit(path, each)
  const collected = await stage.repositories.collect({
    repository: { path: stage.source, mirror, branch: 'main', base: start, warnings: [] },
    runId: 'run_1',
    briefId: `brf_${stage.count}`,
    attemptId: `att_${stage.count}`,
    workspace: {
      path,
      home: `${path}.home`,
      boxed: false,
      enter: enterDirectly(path),
      read: (name, maxBytes) => readInside(path, name, maxBytes),
      source: (name) => sourceInside(path, name),
      write: (name, text) => writeInside(path, name, text),
      run: () => Promise.reject(new Error('nothing of this runs a command')),
    },
    branch,
    start,
    message: 'Uncommitted files',
    allowed: [],
  })
  return collected.outcome === 'collected'
}

function commit(path: string, made: MadeCommit): void {
  const { files, message = 'a commit', author = 'Ada', committer = 'Ada', header } = made
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  gitIn(path, ['add', '--all'])
  gitIn(path, ['commit', '--quiet', '--no-verify', '--message', message], {
    GIT_AUTHOR_NAME: author,
    GIT_COMMITTER_NAME: committer,
  })
  if (header === undefined) return
  const raw = gitIn(path, ['cat-file', 'commit', 'HEAD'])
  const input = raw.replace('\n\n', `\nnote ${header}\n\n`)
  gitIn(path, ['reset', '--quiet', gitIn(path, ['hash-object', '-t', 'commit', '-w', '--stdin'], {}, input).trim()])
}

function gitIn(cwd: string, args: readonly string[], more: Record<string, string> = {}, input = ''): string {
  return execFileSync('git', args, {
    cwd,
    input,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
      ...more,
    },
    stdio: 'pipe',
  })
}
