import { describe, expect, it } from 'vitest'

import { type Collected, integrationBranch, type Repositories } from '../../../src/repositories/port.ts'
import type { RunRepository } from '../../../src/work/runs/contract.ts'
import type { Workspace, WorkspaceRequest, Workspaces } from '../../../src/workspaces/port.ts'
import { commitAll, mergeCommit, removeGit } from './memory-git.ts'

/** Git with a repository of the operator on `main`, which has README.md and ignores `*.log`. */
export interface GitWorld {
  readonly repositories: Repositories
  readonly workspaces: Workspaces
  /** The operator's repository. */
  readonly path: string
  /** Commits files on main, as the operator does. */
  commit(files: Readonly<Record<string, string>>): Promise<string>
  head(): Promise<string>
  /** Makes or removes uncommitted changes of the operator. */
  setDirty(isDirty: boolean): Promise<void>
}

const limits = { timeoutMs: 20_000, maxOutputBytes: 1_000 }
const runId = 'run_1'

/** The behaviour of git as the engine uses it: every implementation of `Repositories` with its `Workspaces`. */
export function repositoriesContract(name: string, make: () => Promise<GitWorld>): void {
  describe(`${name} repositories`, () => {
    const opened = async () => {
      const world = await make()
      const repository = await world.repositories.open(world.path)
      return { ...world, repository, ...actionsOf(world, repository) }
    }

    it('begins at the commit of the branch, and refuses a repository that does not exist', async () => {
      const { repositories, repository, path, head } = await opened()
      expect(repository).toMatchObject({ path, branch: 'main', base: await head() })
      expect(await repositories.locate(path)).toBe(path)
      await expect(repositories.open(`${path}-missing`)).rejects.toMatchObject({ code: 'not_found' })
    })

    it('collects nothing from a clone that is as it was at its start', async () => {
      const { clone, collect } = await opened()
      const one = await clone('one')
      expect(await one.read('README.md', 100)).toMatchObject({ text: 'hello\n' })
      expect(await collect('one', one)).toEqual({ outcome: 'empty' })
    })

    it('collects committed and uncommitted files, but none that git ignores', async () => {
      const { clone, collect, checkout, repository, repositories } = await opened()
      const one = await clone('one')
      await one.write('first.md', 'first\n')
      expect(await one.run(commitAll, limits)).toMatchObject({ exitCode: 0 })
      await one.write('second.md', 'second\n')
      await one.write('trace.log', 'noise\n')
      const collected = await collect('one', one)
      expect(collected).toMatchObject({ outcome: 'collected', files: ['first.md', 'second.md'] })
      const commit = commitIn(collected)
      expect(await repositories.contains(repository.mirror, commit, repository.base)).toBe(true)
      expect(await repositories.contains(repository.mirror, repository.base, commit)).toBe(false)
      const place = await checkout(commit)
      expect(await place.read('first.md', 100)).toMatchObject({ text: 'first\n' })
      expect(await place.read('second.md', 100)).toMatchObject({ text: 'second\n' })
      expect(await place.read('trace.log', 100)).toBeNull()
      expect(await repositories.files(repository.mirror, repository.base, commit)).toMatchObject([
        { path: 'first.md', status: 'added' },
        { path: 'second.md', status: 'added' },
      ])
    })

    it('checks out the commit, not the files that the agent changed since', async () => {
      const { clone, collect, checkout } = await opened()
      const one = await clone('one')
      await one.write('a.md', 'good\n')
      const commit = commitIn(await collect('one', one))
      await one.write('a.md', 'changed later\n')
      const place = await checkout(commit)
      expect(await place.read('a.md', 100)).toMatchObject({ text: 'good\n' })
      await place.write('b.md', 'left by a check\n')
      await place.remove()
      expect(await one.read('b.md', 100)).toBeNull()
      expect(await (await checkout(commit)).read('b.md', 100)).toBeNull()
    })

    it('continues the work of an earlier attempt', async () => {
      const { clone, collect, repositories, repository } = await opened()
      const one = await clone('one')
      await one.write('a.md', 'a\n')
      const first = commitIn(await collect('one', one))
      const again = await clone('one')
      await again.write('b.md', 'b\n')
      const second = await collect('one', again)
      expect(second).toMatchObject({ outcome: 'collected', files: ['a.md', 'b.md'] })
      expect(await repositories.contains(repository.mirror, commitIn(second), first)).toBe(true)
    })

    it('merges into the recorded head, wherever the branch is', async () => {
      const { work, merge, checkout } = await opened()
      const [one, two] = [await work('one', 'one.md'), await work('two', 'two.md')]
      await merge(one)
      // The first merge was never recorded, so that the second one builds on the base again.
      const [result] = await merge(two)
      const place = await checkout(result as string)
      expect(await place.read('two.md', 100)).toMatchObject({ text: 'two.md by two\n' })
      expect(await place.read('one.md', 100)).toBeNull()
      const [both] = await merge(one, result)
      expect(await (await checkout(both as string)).read('one.md', 100)).toMatchObject({ text: 'one.md by one\n' })
    })

    it('lists the files in conflict, and merges after the agent has joined the two', async () => {
      const { work, clone, collect, repositories, mergeRequest, merge, repository } = await opened()
      const one = await work('one', 'same.md')
      const two = await work('two', 'same.md')
      const [head] = await merge(one)
      const refused = await repositories.merge(mergeRequest(two, head))
      expect(refused).toEqual({ outcome: 'conflict', files: ['same.md'] })
      const again = await clone('two')
      expect(await again.run(mergeCommit(head as string), limits)).toMatchObject({ exitCode: 0 })
      const joined = commitIn(await collect('two', again))
      const [result] = await merge(joined, head)
      expect(await repositories.contains(repository.mirror, result as string, one)).toBe(true)
    })

    it('gives commits with the same files the same tree', async () => {
      const { work, merge, repositories, repository } = await opened()
      const one = await work('one', 'one.md')
      const [merged] = await merge(one)
      const treeOf = (commit: string) => repositories.tree(repository.mirror, commit)
      expect(await treeOf(merged as string)).toBe(await treeOf(one))
      expect(await treeOf(one)).not.toBe(await treeOf(repository.base))
      await expect(treeOf('0'.repeat(40))).rejects.toThrow('git rev-parse')
    })

    it('lists the changes of a brief itself, without work of others that it has merged', async () => {
      const { work, merge, clone, collect, repositories, repository } = await opened()
      const one = await work('one', 'one.md')
      const [head] = await merge(one)
      const two = await clone('two')
      expect(await two.run(mergeCommit(head as string), limits)).toMatchObject({ exitCode: 0 })
      await two.write('README.md', 'changed\n')
      await two.write('two.md', 'two\n')
      const to = commitIn(await collect('two', two))
      const changed = (refs: string[], ownCommits: string[] = []) =>
        repositories.changes(repository.mirror, {
          from: repository.base,
          to,
          others: { refs, ownBriefs: [], ownCommits },
        })
      const readme = { path: 'README.md', status: 'changed', isLink: false }
      const own = [readme, { path: 'two.md', status: 'added', isLink: false }]
      expect(await changed([`refs/heads/${integrationBranch(runId)}`])).toEqual(own)
      expect(await changed(['refs/heads/integration/'])).toEqual(own)
      expect(await changed([])).toHaveLength(3)
      expect(await changed(['refs/heads/integration/'], [one])).toHaveLength(3)
      expect(await repositories.text(repository.mirror, to, 'README.md')).toBe('changed\n')
      expect(await repositories.text(repository.mirror, repository.base, 'two.md')).toBeNull()
      expect(await repositories.paths(repository.mirror, to)).toEqual(['.gitignore', 'README.md', 'one.md', 'two.md'])
    })

    it('lists the files of a commit that a clone no longer has as they were', async () => {
      const { clone, collect, repositories, repository } = await opened()
      const one = await clone('one')
      await one.write('one.md', 'one\n')
      const commit = commitIn(await collect('one', one))
      expect(await repositories.compare(repository.mirror, commit, one)).toEqual([])
      await one.write('new.md', 'new\n')
      await one.write('trace.log', 'noise\n')
      expect(await repositories.compare(repository.mirror, commit, one)).toEqual([])
      await one.write('README.md', 'mended\n')
      expect(await repositories.compare(repository.mirror, commit, one)).toEqual(['README.md'])
      // It is changed all the same if it is committed.
      expect(await one.run(commitAll, limits)).toMatchObject({ exitCode: 0 })
      expect(await repositories.compare(repository.mirror, commit, one)).toEqual(['README.md'])
    })

    it('makes a commit with some files replaced, which no branch has', async () => {
      const { work, checkout, repositories, repository } = await opened()
      const commit = await work('one', 'one.md')
      const files = [
        { path: 'one.md', as: null },
        { path: '.gitignore', as: { text: 'own\n' } },
        { path: 'README.md', as: { commit: repository.base } },
        { path: 'docs/new.md', as: { text: 'new\n' } },
        { path: 'missing.md', as: { commit: repository.base } },
      ]
      const made = await repositories.replaceFiles(repository.mirror, commit, files)
      expect(await repositories.replaceFiles(repository.mirror, commit, files)).toBe(made)
      const place = await checkout(made)
      expect(await repositories.paths(repository.mirror, made)).toEqual(['.gitignore', 'README.md', 'docs/new.md'])
      expect(await place.read('.gitignore', 100)).toMatchObject({ text: 'own\n' })
      expect(await repositories.contains(repository.mirror, made, repository.base)).toBe(true)
    })

    it('moves a chain of branches, or none of them', async () => {
      const { work, repositories, repository, mergeRequest } = await opened()
      const [one, two] = [await work('one', 'same.md'), await work('two', 'same.md')]
      const level = (branch: string, head: string) => ({ branch, head, title: `Merge ${branch}`, briefId: 'brf_1' })
      const into = [level('integration/run_1/docs', repository.base), level(integrationBranch(runId), repository.base)]
      const merged = await repositories.merge({ repository, runId, commit: one, into })
      if (merged.outcome !== 'merged') throw new Error('not merged')
      expect(merged.commits).toHaveLength(2)
      const above = [level('integration/run_1/web', repository.base), level(integrationBranch(runId), one)]
      expect(await repositories.merge({ repository, runId, commit: two, into: above })).toMatchObject({
        outcome: 'conflict',
      })
      expect(await repositories.merge(mergeRequest(one, merged.commits[1]))).toEqual({
        outcome: 'merged',
        commits: [merged.commits[1]],
      })
    })

    it('lands a result once', async () => {
      const { work, merge, land, head } = await opened()
      const [result] = await merge(await work('one', 'one.md'))
      expect(await land(result as string)).toMatchObject({ outcome: 'landed', commit: result })
      expect(await land(result as string)).toMatchObject({ outcome: 'landed', commit: result })
      expect(await head()).toBe(result)
    })

    it('names the landed commit again after the target has moved on', async () => {
      const { work, merge, land, commit } = await opened()
      const [result] = await merge(await work('one', 'one.md'))
      expect(await land(result as string)).toMatchObject({ outcome: 'landed', commit: result })
      // The answer got lost, and the operator went on.
      await commit({ 'news.md': 'news\n' })
      expect(await land(result as string)).toMatchObject({ outcome: 'landed', commit: result })
    })

    it('merges new commits of the target, and lands that only when it is asked again', async () => {
      const { work, merge, land, head, commit, repositories, repository, checkout } = await opened()
      const [result] = await merge(await work('one', 'one.md'))
      const target = await commit({ 'news.md': 'news\n' })
      const moved = await land(result as string)
      expect(moved).toMatchObject({ outcome: 'moved', target })
      expect(await head()).toBe(target)
      if (moved.outcome !== 'moved') throw new Error('not moved')
      expect(await repositories.contains(repository.mirror, moved.commit, target)).toBe(true)
      expect(await (await checkout(moved.commit)).read('news.md', 100)).toMatchObject({ text: 'news\n' })
      expect(await land(moved.commit)).toMatchObject({ outcome: 'landed', commit: moved.commit })
      expect(await head()).toBe(moved.commit)
    })

    it('names the files in which the target conflicts with the result', async () => {
      const { work, merge, land, head, commit } = await opened()
      const [result] = await merge(await work('one', 'same.md'))
      const target = await commit({ 'same.md': 'by the operator\n' })
      expect(await land(result as string)).toEqual({ outcome: 'conflict', commit: target, files: ['same.md'] })
      expect(await head()).toBe(target)
    })

    it('does not land while the operator has uncommitted changes', async () => {
      const { work, merge, land, head, setDirty, repositories, repository } = await opened()
      const [result] = await merge(await work('one', 'one.md'))
      await setDirty(true)
      const landing = { runId, commit: result as string }
      await expect(repositories.checkLanding(repository, landing)).rejects.toMatchObject({ code: 'conflict' })
      expect(await land(result as string)).toMatchObject({ outcome: 'refused' })
      expect(await head()).toBe(repository.base)
      await setDirty(false)
      await repositories.checkLanding(repository, landing)
      expect(await land(result as string)).toMatchObject({ outcome: 'landed' })
    })

    it('keeps what a removed clone has and no branch has', async () => {
      const { clone, collect, requestOf, workspaces, repositories, repository, checkout } = await opened()
      const one = await clone('one')
      await one.write('a.md', 'a\n')
      await collect('one', one)
      const kept: (string | null)[] = []
      const keep = (id: string) => async (workspace: Workspace) => {
        const work = {
          repository,
          runId,
          briefId: id,
          attemptId: id,
          workspace,
          start: repository.base,
          message: 'rest',
        }
        kept.push(await repositories.keep(work))
      }
      await workspaces.remove(requestOf('one'), keep('one'))
      const two = await clone('two')
      await two.write('b.md', 'b\n')
      await workspaces.remove(requestOf('two'), keep('two'))
      expect(kept).toEqual([null, expect.stringMatching(/^[0-9a-f]{40}$/)])
      expect(await (await checkout(kept[1] as string)).read('b.md', 100)).toMatchObject({ text: 'b\n' })
      await expect(workspaces.open(requestOf('two'))).rejects.toMatchObject({ code: 'not_found' })
    })

    it('collects nothing from a clone whose repository was removed', async () => {
      const { clone, collect } = await opened()
      const one = await clone('one')
      await one.write('a.md', 'a\n')
      await one.run(removeGit, limits)
      expect(await collect('one', one)).toMatchObject({ outcome: 'refused' })
    })
  })
}

/** The steps of a run in short, on one repository. */
function actionsOf({ repositories, workspaces }: GitWorld, repository: RunRepository) {
  const { mirror, base } = repository
  let checkouts = 0
  const branchOf = (id: string): string => `feature/${runId}/main/${id}`
  const requestOf = (id: string): WorkspaceRequest => ({
    id,
    runId,
    clone: { mirror, branch: branchOf(id), start: base },
  })
  const clone = (id: string): Promise<Workspace> => workspaces.prepare(requestOf(id))
  const collect = (id: string, workspace: Workspace): Promise<Collected> =>
    repositories.collect({
      repository,
      runId,
      briefId: id,
      attemptId: id,
      workspace,
      branch: branchOf(id),
      start: base,
      message: 'what was left',
      allowed: [],
    })
  const mergeRequest = (commit: string, head: string = base) => ({
    repository,
    runId,
    commit,
    into: [{ branch: integrationBranch(runId), head, title: 'Merge', briefId: 'brf_1' }],
  })
  return {
    requestOf,
    clone,
    collect,
    mergeRequest,
    work: async (id: string, file: string): Promise<string> => {
      const workspace = await clone(id)
      await workspace.write(file, `${file} by ${id}\n`)
      return commitIn(await collect(id, workspace))
    },
    merge: async (commit: string, head?: string): Promise<readonly string[]> => {
      const merged = await repositories.merge(mergeRequest(commit, head))
      if (merged.outcome !== 'merged') throw new Error(`conflict in ${merged.files.join(', ')}`)
      return merged.commits
    },
    checkout: (commit: string) =>
      workspaces.checkout({
        id: `att_${++checkouts}`,
        runId,
        source: { kind: 'commit', mirror, branch: integrationBranch(runId), commit },
      }),
    land: (commit: string) => repositories.land(repository, { runId, commit, message: 'Merge the result' }),
  }
}

function commitIn(collected: Collected): string {
  if (collected.outcome !== 'collected') throw new Error(`not collected: ${JSON.stringify(collected)}`)
  return collected.commit
}
