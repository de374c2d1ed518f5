import { createHash } from 'node:crypto'

import { shorten } from '../../kernel/text.ts'
import type { EvidenceOf } from '../../work/evidence/contract.ts'
import { type Found, kept, notRun, quoted, type Scene, seen } from './finding.ts'
import { createGit, type Git, GitError, pathspec } from './git-command.ts'

type GitEvidence = EvidenceOf<'git'>

export async function checkGit(evidence: GitEvidence, scene: Scene): Promise<Found> {
  if (!scene.mayRunCommands) return notRun()
  const { path } = evidence
  // HEAD is read as a file of the workspace: a link or a `gitdir:` that leads to another repository proves nothing.
  if ((await scene.workspace.read(`${path}/.git/HEAD`, 0)) === null)
    return seen(false, `there is no git repository at ${path}`)
  const deadlineMs = scene.clock.nowMs() + evidence.timeoutSeconds * 1_000
  const { workspace, clock, signal } = scene
  const repository = createGit({ workspace, path, deadlineMs, clock, ...(signal && { signal }) })
  // Git evidence comes before the first command. A clone of some directories lacks files which nobody has removed.
  const git: Git = workspace.isCleanClone === true ? { ...repository, compare: async () => '' } : repository
  const told: string[] = []
  // Otherwise the commits of others would count.
  const since = evidence.since ?? (path === '.' ? (scene.since ?? undefined) : undefined)
  const lack = await lacking({ ...evidence, since }, git, (line) => told.push(line)).catch((error: unknown) => {
    if (error instanceof GitError) return error.message
    throw error
  })
  const text = told.map((line) => `${line}\n`).join('')
  const found = { output: kept(text), sha256: createHash('sha256').update(text).digest('hex'), boxed: repository.boxed }
  return lack === null ? seen(true, told[0] as string, found) : seen(false, lack, found)
}

/** Returns the first condition that does not hold, or null. */
async function lacking(evidence: GitEvidence, git: Git, tell: (line: string) => void): Promise<string | null> {
  const { since, branch, commitsAtLeast, messageMatches } = evidence
  const head = hashIn(await git.ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))
  if (head === null) return 'nothing is committed yet'
  tell(`HEAD is ${head}`)
  if (branch !== undefined) {
    const current = (await git.ask('symbolic-ref', '--quiet', '--short', 'HEAD'))?.trimEnd()
    tell(current === undefined ? 'on no branch' : `on the branch ${shorten(current, 300)}`)
    if (current !== branch)
      return `the branch ${quoted(branch)} is not checked out, but ${current === undefined ? 'none' : quoted(current)}`
  }
  const base = since === undefined ? null : await findBase(git, since, head)
  const after = since === undefined ? '' : ` after ${shorten(since, 80)}`
  const commits = Number(await git.ask('rev-list', '--count', head, ...(base === null ? [] : [`^${base}`])))
  tell(`${commits === 1 ? '1 commit' : `${commits} commits`}${after}`)
  const wanted = commitsAtLeast ?? 1
  if (commits < wanted) return `${commits} of at least ${wanted} commits${after}`
  for (const glob of evidence.changed) {
    const names = await changedBetween(git, base, head, glob)
    tell(`${glob}: ${names === '' ? 'nothing changed' : list(names)}`)
    if (names === '') return `no file ${quoted(glob)} was committed${after}`
  }
  for (const glob of evidence.unchanged) {
    const names = (await changedBetween(git, base, head, glob)) + (await git.compare(head, [glob]))
    tell(`${glob}: ${names === '' ? 'nothing changed' : list(names)}`)
    if (names !== '') return `changed, though it must not be: ${list(names)}`
  }
  if (messageMatches !== undefined) {
    const matched = await git.ask('rev-list', '--no-walk', '--extended-regexp', `--grep=${messageMatches}`, head)
    if (hashIn(matched) === null) return `the newest commit's message does not match ${quoted(messageMatches)}`
    tell(`the message matches ${quoted(messageMatches)}`)
  }
  if (evidence.clean) {
    const left = await git.compare(head, [])
    tell(left === '' ? 'nothing uncommitted' : left.trimEnd())
    if (left !== '') return `uncommitted: ${list(left)}`
  }
  return null
}

async function findBase(git: Git, since: string, head: string): Promise<string> {
  const base = hashIn(await git.ask('rev-parse', '--verify', '--quiet', '--end-of-options', `${since}^{commit}`))
  if (base === null) throw new GitError(`there is no commit ${quoted(since)}`)
  // Otherwise an invented history without the base would count.
  if ((await git.ask('merge-base', '--is-ancestor', base, head)) === null)
    throw new GitError(`HEAD does not descend from ${quoted(since)}`)
  return base
}

async function changedBetween(git: Git, base: string | null, head: string, glob: string): Promise<string> {
  const from = base ?? hashIn(await git.ask('hash-object', '-t', 'tree', '/dev/null'))
  if (from === null) throw new GitError('git knows no empty tree')
  const plainly = ['-r', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv']
  return (await git.ask('diff-tree', ...plainly, from, head, '--', pathspec(glob))) ?? ''
}

const isHash = (text: string): boolean => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text)

const hashIn = (answer: string | null): string | null => {
  const text = answer?.trimEnd() ?? ''
  return isHash(text) ? text : null
}

const list = (lines: string): string => shorten(lines.trimEnd().split('\n').join(', '), 300)
