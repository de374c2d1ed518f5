import { createHash } from 'node:crypto'

import { AgencyError } from '../kernel/errors.ts'
import { shorten } from '../kernel/text.ts'
import { redact } from '../secrets/redact.ts'
import type { RunRepository } from '../work/runs/contract.ts'
import { type Finding, scanForSecrets } from '../secrets/scan.ts'
import { engineAuthor } from './author.ts'
import { collect, type Collection, promote, snapshot } from './collect.ts'
import { compareClone } from './compare-clone.ts'
import { binaryChanges, fileChanges, filePaths, fileText } from './file-changes.ts'
import { type Git, GitError } from './git.ts'
import type { Mirrors } from './mirrors.ts'
import { findRepository } from './operator-repository.ts'
import { type CollectedWork, integrationBranch, type Landed, mergeTrailers, type Repositories } from './port.ts'
import { replaceFiles } from './replace-files.ts'
import { makeRevert } from './revert.ts'

/**
 * Implements the engine's operations on git with mirrors: the order of steps, and recovery after a kill between them.
 */
export function createRepositories({ git, mirrors }: { git: Git; mirrors: Mirrors }): Repositories {
  /** Finds possible secrets in all commits from `start` to the commit. */
  async function secretsIn(
    repository: string,
    commit: string,
    known: readonly string[],
    work: Pick<CollectedWork, 'start' | 'allowed'>,
  ): Promise<SecretMatch[]> {
    const { texts, cut } = await mirrors.added(repository, work.start, commit, { known })
    const found = await scanForSecrets(
      texts.map(({ path, commit: source, of, line, text }) => ({
        path: path ?? `${of} of ${source.slice(0, 12)}`,
        line,
        text,
      })),
      { clock: git.clock },
    )
    if (cut) found.push({ rule: 'not_scanned', path: '.', line: 1, excerpt: 'more was added than can be looked at' })
    const named = new Map(found.map((finding) => [ruleOf(finding), describe(finding)]))
    return [...named].map(([rule, what]) => ({ rule, what })).filter(({ rule }) => !work.allowed.includes(rule))
  }

  return {
    locate: async (path) => (await findRepository(git, path)).path,

    inspect: (path) => mirrors.inspect(path),

    open: async (path, branch) => {
      const facts = await mirrors.inspect(path, branch)
      const mirror = await mirrors.refresh(facts.path, { branch })
      return {
        path: facts.path,
        mirror: mirror.path,
        branch: mirror.branch,
        base: mirror.commit,
        warnings: [...facts.warnings],
      }
    },

    collect: async (work) => {
      const { mirror } = work.repository
      const { start, message, workspace, attemptId: ref, scope, signal } = work
      let secrets: SecretMatch[] = []
      const accepts: Collection['accepts'] = async (quarantine, commit, known) => {
        secrets = await secretsIn(quarantine, commit, known, work)
        return secrets.length === 0
      }
      const collected = await collect(git, {
        mirror,
        workspace,
        start,
        message,
        author: engineAuthor,
        ref,
        accepts,
        ...(scope === undefined
          ? {}
          : {
              refuses: async (quarantine, commit) =>
                scope.faultOf(
                  await fileChanges(git, quarantine, { from: start, to: commit, others: scope.others, refsIn: mirror }),
                ),
            }),
        signal,
      })
      if (collected.outcome === 'empty') return collected
      if (collected.outcome === 'refused') return { outcome: 'refused', why: redact(collected.why) }
      if (collected.outcome === 'withheld') return { outcome: 'secrets', found: secrets.slice(0, 50) }
      const commit = await promote(git, mirror, ref, work.branch)
      const files = collected.files.filter(({ status }) => status !== 'deleted').map(({ path }) => path)
      return { outcome: 'collected', commit, files }
    },

    keep: async (work) => {
      const { repository, workspace, start, message, briefId: ref } = work
      // Later agents of this repository can read the mirror: work with a secret must not enter it.
      const accepts: Collection['accepts'] = async (quarantine, commit, known) =>
        (await secretsIn(quarantine, commit, known, { start, allowed: [] })).length === 0
      return snapshot(git, {
        mirror: repository.mirror,
        workspace,
        start,
        message,
        author: engineAuthor,
        ref,
        accepts,
      })
    },

    merge: async ({ repository, runId, commit, into }) => {
      const levels = into.map(({ branch, head, title, briefId, workId = briefId }) => ({
        branch,
        head,
        message: title,
        trailers: {
          'Agency-Run': runId,
          [mergeTrailers.brief]: briefId,
          ...(workId === briefId ? {} : { [mergeTrailers.work]: workId }),
        },
      }))
      const merged = await mirrors.merge({ mirror: repository.mirror, commit, levels })
      return merged.outcome === 'conflict'
        ? { outcome: 'conflict', files: merged.files }
        : { outcome: 'merged', commits: merged.commits }
    },

    revert: async ({ mirror, base: head }, { runId, branch, merged, base, message }) => {
      if (!(await mirrors.contains(mirror, head, merged))) return { outcome: 'gone' }
      const commit = await makeRevert(git, { mirror, merged, base, message, author: engineAuthor })
      const trailers = { 'Agency-Run': runId }
      const levels = [{ branch: integrationBranch(runId), head, message, trailers }]
      const tried = await mirrors.merge({ mirror, commit, levels })
      if (tried.outcome === 'conflict') return { outcome: 'conflict', files: tried.files }
      if ((await mirrors.tree(mirror, tried.commits[0] as string)) === (await mirrors.tree(mirror, head)))
        return { outcome: 'nothing' }
      return { outcome: 'reverted', commit: await mirrors.branch(mirror, branch, commit) }
    },

    tree: (mirror, commit) => mirrors.tree(mirror, commit),
    has: (mirror, commit) => mirrors.has(mirror, commit),
    contains: (mirror, commit, other) => mirrors.contains(mirror, commit, other),

    checkLanding: async ({ path, branch, mirror, base }, { runId, commit }) => {
      await mirrors.canLand({ repository: path, branch, mirror, commit, base, again: approvalOf(runId) })
    },

    land: (repository, result) => asOutcome(result.runId, () => landWith(mirrors, repository, result)),

    files: (mirror, from, to) => mirrors.files(mirror, from, to),
    diff: (mirror, from, to, options) => mirrors.diff(mirror, from, to, options),
    changes: (mirror, work) => fileChanges(git, mirror, work),
    binaries: (mirror, from, to) => binaryChanges(git, mirror, from, to),
    text: (mirror, commit, path) => fileText(git, mirror, commit, path),
    paths: (mirror, commit) => filePaths(git, mirror, commit),
    compare: (mirror, commit, { path }, signal) => compareClone(git, { mirror, commit, path, signal }),
    replaceFiles: (mirror, commit, files) => replaceFiles(git, mirror, commit, files),
  }
}

interface SecretMatch {
  rule: string
  what: string
}

const approvalOf = (runId: string): string => `agency approve ${runId} --gate merge`

/** Names a finding: it keeps its name in a later attempt, even if other lines of the file have changed. */
const ruleOf = ({ rule, path, excerpt }: Finding): string =>
  `secret:${rule}:${createHash('sha256').update(`${path}\0${excerpt}`).digest('hex').slice(0, 16)}`

const describe = ({ rule, path, line, excerpt }: Finding): string =>
  `${redact(path)}:${line} (${rule}) ${shorten(excerpt.trim(), 120)}`

/** Lands a result, or merges it with the new commits of its target: the merge is another result, not proven yet. */
async function landWith(
  mirrors: Mirrors,
  { path, branch, mirror, base }: RunRepository,
  { runId, commit, message }: { runId: string; commit: string; message: string },
): Promise<Landed> {
  const landed = await mirrors.land({ repository: path, branch, mirror, commit, base, again: approvalOf(runId) })
  // A result that landed before keeps its name: the target may have commits of others on top of it.
  if (landed.outcome !== 'moved') return { outcome: 'landed', commit, from: landed.from }
  const { commit: target } = await mirrors.refresh(path, { branch })
  const levels = [{ branch: integrationBranch(runId), head: commit, message, trailers: { 'Agency-Run': runId } }]
  const merged = await mirrors.merge({ mirror, commit: target, levels })
  return merged.outcome === 'conflict'
    ? { outcome: 'conflict', commit: target, files: merged.files }
    : { outcome: 'moved', commit: merged.commits[0] as string, target }
}

/** Turns refusals and failures of git in the operator's repository into an outcome; any other error is a bug. */
async function asOutcome(runId: string, work: () => Promise<Landed>): Promise<Landed> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError) return { outcome: 'refused', why: error.message, next: approvalOf(runId) }
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    const outcome = error.data?.['busy'] === true ? 'busy' : 'refused'
    return { outcome, why: error.message, next: error.hint ?? approvalOf(runId) }
  }
}
