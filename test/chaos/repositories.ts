import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Installation } from './installation.ts'

/** Returns the operator's repository for a request; a repeated request gets the same one. */
export function repositoryFor({ home }: Installation, key: string): string {
  const path = join(home, 'repositories', createHash('sha256').update(key).digest('hex').slice(0, 12))
  if (existsSync(path)) return path
  mkdirSync(path, { recursive: true })
  git(path, 'init', '--quiet', '--initial-branch=main')
  git(path, 'commit', '--quiet', '--allow-empty', '-m', 'Begin')
  return path
}

/** Returns a file of the branch that work lands in, and the number of commits that changed it. */
export function landed(repository: string, path: string): { content: string | null; commits: number } {
  const commits = git(repository, 'log', '--no-merges', '--format=%H', 'main', '--', path)
  const count = commits === '' ? 0 : commits.trim().split('\n').length
  return { content: count === 0 ? null : git(repository, 'show', `main:${path}`), commits: count }
}

const git = (path: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], {
    cwd: path,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: path, GIT_CONFIG_NOSYSTEM: '1' },
  })
