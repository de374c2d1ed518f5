// @suite process

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { openAgency, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Repositories } from '../../repositories/port.ts'
import type { GateView } from '../gates/contract.ts'
import type { Run } from '../runs/contract.ts'

const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { summary: `wrote ${path}`, outputs: [path] } },
]

/** Merges commits without a ref in the clone: their objects are available through the mirror. */
const joins = (ref: string): string =>
  `git merge -q --no-edit $(git --git-dir="$(dirname "$(cat .git/objects/info/alternates)")" for-each-ref --format='%(objectname)' '${ref}') || true`

const play = (...attempts: StepInput[][]) => ({ scenario: { attempts } })

const gateOf = (agency: TestAgency, run: Run): Promise<GateView> =>
  agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find((gate) => gate.status === 'pending'))

const approve = (agency: TestAgency, run: Run) => agency.gates.approve(operator, { target: run.id, gate: 'merge' })

const question = (agency: TestAgency, run: Run) =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.answeredAt === null))

describeStores('a run in a repository', (openFresh) => {
  it('ends as a pull request and is merged only after approval', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const before = repository.git('rev-parse', 'main')
    const run = await agency.run({
      goal: 'Add a poem',
      repo: repository.path,
      evidence: [{ kind: 'file', path: 'poem.txt' }],
      play: [writes('poem.txt', 'a river\n')],
    })
    expect(run.repository).toMatchObject({ path: repository.path, branch: 'main', base: before })
    const gate = await gateOf(agency, run)
    expect(gate).toMatchObject({ gate: 'merge', boundary: 'run' })
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'accepting' })
    const opened = await agency.pullRequests.ofRun(run.id)
    expect(opened).toMatchObject({
      adapter: 'bare',
      title: 'Add a poem',
      status: 'open',
      target: 'main',
      source: `integration/${run.id}/final`,
      diffstat: { files: 1, added: 1, removed: 0 },
      files: [{ path: 'poem.txt', status: 'added' }],
      checks: [{ passed: true }],
    })
    expect((await agency.pullRequests.diff(run.id, undefined)).text).toContain('+a river')
    expect(repository.git('rev-parse', 'main')).toBe(before)
    expect(repository.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')

    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.read('poem.txt')).toBe('a river\n')
    expect(repository.git('status', '--porcelain')).toBe('')
    const brief = await agency.brief(run)
    expect(repository.git('log', '-1', '--format=%(trailers:key=Agency-Brief,valueonly)')).toBe(brief.id)
    expect(await agency.pullRequests.ofRun(run.id)).toMatchObject({
      status: 'merged',
      mergedCommit: repository.git('rev-parse', 'main'),
    })
    const kinds = (await agency.events(run)).map((event) => event.kind)
    expect(kinds.filter((kind) => ['branch_merged', 'pr_opened', 'gate_approved', 'merged'].includes(kind))).toEqual([
      'branch_merged',
      'pr_opened',
      'gate_approved',
      'merged',
    ])
  })

  it('merges the work of several briefs; a conflicting second one gets the files and tries again', async () => {
    const repository = makeRepository({ 'list.txt': 'one\n' })
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const run = await agency.run({
      goal: 'Two at once',
      repo: repository.path,
      briefs: [
        { key: 'a', objective: 'a', runtimeOptions: play(writes('list.txt', 'one\na\n')) },
        {
          key: 'b',
          objective: 'b',
          runtimeOptions: play(
            [{ log: 'gate late' }, ...writes('list.txt', 'one\nb\n')],
            [{ run: joins('refs/heads/integration/**') }, ...writes('list.txt', 'one\na\nb\n')],
          ),
        },
        {
          key: 'c',
          objective: 'c',
          after: ['a'],
          runtimeOptions: play([{ run: 'cat list.txt > seen.txt' }, { report: { outputs: ['seen.txt'] } }]),
        },
      ],
    })
    await agency.until(async () => (await agency.brief(run, 'a')).status === 'verified')
    agency.gate('late').open()
    const retried = await agency.until(async () =>
      (await agency.events(run)).find((event) => event.kind === 'merge_conflict'),
    )
    expect(retried.data['files']).toEqual(['list.txt'])
    await gateOf(agency, run)
    expect(await agency.brief(run, 'b')).toMatchObject({ status: 'verified', retriesUsed: 1, attempts: 2 })
    await approve(agency, run)
    await agency.settled(run)
    expect(repository.read('list.txt')).toBe('one\na\nb\n')
    // A dependent finds the work of the brief that it waited for.
    expect(repository.read('seen.txt')).toBe('one\na\n')
  })

  it('is not merged into a tree with local changes; the refusal names the next step', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    repository.write('README.md', 'mine\n')
    const run = await agency.run({ goal: 'Add', repo: repository.path, play: [writes('a.txt', 'a')] })
    const gate = await gateOf(agency, run)
    expect(gate.summary.anomalies.join()).toContain('uncommitted')
    const refused = await approve(agency, run).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'conflict', hint: expect.stringContaining('stash') })
    expect(repository.read('README.md')).toBe('mine\n')
    repository.git('checkout', '-q', 'README.md')
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.read('a.txt')).toBe('a')
  })

  it('is merged with new commits of main, or done again if they conflict', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' })
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const clean = await agency.run({ goal: 'Add', repo: repository.path, play: [writes('b.txt', 'b\n')] })
    const torn = await agency.run({
      goal: 'Change',
      repo: repository.path,
      play: [
        writes('a.txt', 'theirs\n'),
        [{ run: joins('refs/source/main') }, ...writes('a.txt', 'mine and theirs\n')],
      ],
    })
    await gateOf(agency, clean)
    await gateOf(agency, torn)
    repository.write('a.txt', 'mine\n')
    repository.commit('Meanwhile')
    await approve(agency, clean)
    expect(await agency.settled(clean)).toMatchObject({ status: 'done' })
    expect([repository.read('a.txt'), repository.read('b.txt')]).toEqual(['mine\n', 'b\n'])
    await approve(agency, torn)
    await agency.until(async () => (await agency.brief(torn)).attempts === 2)
    expect((await agency.brief(torn)).rejectionReason).toContain('main has moved on')
    await gateOf(agency, torn)
    await approve(agency, torn)
    expect(await agency.settled(torn)).toMatchObject({ status: 'done' })
    expect(repository.read('a.txt')).toBe('mine and theirs\n')
  })

  it('lands after an earlier approved one of the same repository, also while that one waits for a lock', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const begun: string[] = []
    const agency = await startAgency(openFresh, {
      workspaces,
      repositories: {
        ...repositories,
        land: (at, result) => {
          begun.push(result.runId)
          return repositories.land(at, result)
        },
      },
    })
    const start = (name: string): Promise<Run> =>
      agency.run({ goal: `Add ${name}`, repo: repository.path, play: [writes(name, name)] })
    const runs = [await start('a.txt'), await start('b.txt')] as const
    for (const run of runs) await gateOf(agency, run)
    const lock = join(repository.path, '.git', 'index.lock')
    writeFileSync(lock, '')
    for (const run of runs) await approve(agency, run)
    const [first, second] = runs.map(({ id }) => id)
    await agency.until(async () => begun.length > 0)
    // Until the failure is recorded, which starts the first wait.
    await agency.pass(0)
    await agency.pass(8_000)
    expect(begun).toEqual([first, first, first, first])
    expect(await agency.runs.show(runs[1].id)).toMatchObject({ heldBy: 'landing', endedAt: null })
    rmSync(lock)
    await agency.pass(10_000)
    for (const run of runs) expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect([...new Set(begun)]).toEqual([first, second])
    expect(begun.lastIndexOf(String(first))).toBeLessThan(begun.indexOf(String(second)))
    const merged = async (run: Run): Promise<string> => String((await agency.pullRequests.ofRun(run.id)).mergedCommit)
    repository.git('merge-base', '--is-ancestor', await merged(runs[0]), await merged(runs[1]))
    expect(await merged(runs[1])).toBe(repository.git('rev-parse', 'main'))
    expect([repository.read('a.txt'), repository.read('b.txt')]).toEqual(['a.txt', 'b.txt'])
  })

  it('is done again in the same clone after a rejection, and its pull request is updated', async () => {
    const repository = makeRepository()
    const { repositories, workspaces, root } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const run = await agency.run({
      goal: 'Add',
      repo: repository.path,
      play: [writes('a.txt', 'a\n'), writes('b.txt', 'b\n')],
    })
    await gateOf(agency, run)
    await agency.gates.reject(operator, { target: run.id, reason: 'b is missing' })
    await agency.until(async () => (await agency.brief(run)).attempts === 2)
    await gateOf(agency, run)
    const updated = await agency.pullRequests.ofRun(run.id)
    expect(updated.files.map((file) => file.path)).toEqual(['a.txt', 'b.txt'])
    const clone = join(root, 'workspaces', run.id, (await agency.brief(run)).id)
    writeFileSync(join(clone, 'late.txt'), 'not collected')
    await agency.runs.cancel(operator, run.id, undefined)
    expect(await agency.pullRequests.ofRun(run.id)).toMatchObject({ status: 'closed' })
    expect(existsSync(clone)).toBe(true)
    await agency.engine.clean(run.id)
    expect(existsSync(clone)).toBe(false)
    const kept = ['show', `refs/agency/snapshots/${(await agency.brief(run)).id}:late.txt`]
    expect(repository.git(`--git-dir=${run.repository?.mirror}`, ...kept)).toBe('not collected')
    // A second call has nothing left to do.
    await agency.engine.clean(run.id)
    expect(repository.git('log', '--oneline')).not.toContain('Merge')
  })

  it.each(['branch.merged', 'result.landed'] as const)('is merged exactly once after a kill at %s', async (point) => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency: TestAgency & { store: FreshStore } = await startAgency(openFresh, {
      repositories,
      workspaces,
      mayLogErrors: true,
      chaosPoint: (reached) => {
        if (reached === point) agency.die()
      },
    })
    const run = await agency.run({ goal: 'Add', repo: repository.path, play: [writes('a.txt', 'a\n')] })
    if (point === 'result.landed') {
      await gateOf(agency, run)
      await approve(agency, run)
    }
    await agency.passed(point)
    const next = await openAgency({ db: agency.store.db, clock: agency.clock, repositories, workspaces })
    await next.engine.start()
    if (point === 'branch.merged') {
      await gateOf(next, run)
      await approve(next, run)
    }
    expect(await next.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.git('log', '--merges', '--format=%s', 'main').split('\n')).toHaveLength(1)
    const kinds = (await next.events(run)).map((event) => event.kind)
    for (const kind of ['branch_merged', 'pr_opened', 'merged'] as const)
      expect(kinds.filter((each) => each === kind)).toHaveLength(1)
  })
})

describe('after a merge in git', () => {
  it('a brief that is done again cannot be cancelled, because its earlier work stays in the result', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await openAgency({ repositories, workspaces, defaults: { onLimit: 'ask' } })
    await agency.engine.start()
    const asks: StepInput[] = [{ report: { status: 'blocked', question: { text: 'Why?' } } }]
    const run = await agency.run({
      goal: 'Add a poem',
      repo: repository.path,
      evidence: [{ kind: 'file', path: 'poem.txt' }],
      play: [writes('poem.txt', 'a river\n'), asks, writes('poem.txt', 'a lake\n')],
    })
    await gateOf(agency, run)
    await agency.gates.reject(operator, { target: run.id, reason: 'no rivers' })
    const asked = await question(agency, run)
    const cancelled = agency.briefs.update(operator, (await agency.brief(run)).id, 'cancelled', undefined)
    await expect(cancelled).rejects.toThrow('earlier work of main is already merged and would stay in the result')
    await agency.questions.answer(operator, asked.id, 'a lake')
    await gateOf(agency, run)
    await approve(agency, run)
    await agency.settled(run)
    expect(repository.read('poem.txt')).toBe('a lake\n')
  })
})

describe('during a merge in git', () => {
  const trouble = new Error('no space left on device')

  it('a cancelled brief is not merged and holds up no other', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    let failing = true
    const agency = await openAgency({
      workspaces,
      mayLogErrors: true,
      repositories: {
        ...repositories,
        merge: async (branch) => {
          if (failing) throw trouble
          return repositories.merge(branch)
        },
      },
    })
    await agency.engine.start()
    const run = await agency.run({
      goal: 'Two',
      repo: repository.path,
      briefs: ['a', 'b'].map((key) => ({ key, objective: key, runtimeOptions: play(writes(`${key}.txt`, key)) })),
    })
    for (const key of ['a', 'b']) await agency.until(async () => (await agency.brief(run, key)).heldBy === 'merge')
    await agency.briefs.update(operator, (await agency.brief(run, 'a')).id, 'cancelled', undefined)
    failing = false
    // The queue retries after a delay.
    await agency.pass(600_000)
    await gateOf(agency, run)
    expect((await agency.pullRequests.ofRun(run.id)).files.map((file) => file.path)).toEqual(['b.txt'])
    const merged = agency.briefs.update(operator, (await agency.brief(run, 'b')).id, 'cancelled', undefined)
    await expect(merged).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('merged') })
  })

  /** Cancels a brief between its merge in git and the record of the merge. */
  const cancelsDuring = (repositories: Repositories, agency: () => TestAgency, key: string): Repositories => ({
    ...repositories,
    merge: async (branch) => {
      const merged = await repositories.merge(branch)
      const { briefs } = await agency().inspect({ id: branch.runId })
      const brief = briefs.find((each) => each.id === branch.into[0]?.briefId)
      if (brief?.key === key) await agency().briefs.update(operator, brief.id, 'cancelled', undefined)
      return merged
    },
  })

  it.each(['a', 'b'])(
    'a brief (%s) that is cancelled meanwhile is neither in the result nor in its text',
    async (key) => {
      const repository = makeRepository()
      const { repositories, workspaces } = openRepositories()
      const agency: TestAgency = await openAgency({
        workspaces,
        repositories: cancelsDuring(repositories, () => agency, key),
      })
      await agency.engine.start()
      const run = await agency.run({
        goal: 'Two',
        repo: repository.path,
        briefs: ['a', 'b'].map((each) => ({
          key: each,
          objective: `Write ${each}`,
          runtimeOptions: play(
            each === 'a' ? writes('a.txt', 'a\n') : [{ log: 'gate late' }, ...writes('b.txt', 'b\n')],
          ),
        })),
      })
      await agency.until(async () => ['verified', 'cancelled'].includes((await agency.brief(run, 'a')).status))
      agency.gate('late').open()
      await gateOf(agency, run)
      const kept = key === 'a' ? 'b' : 'a'
      expect(await agency.brief(run, key)).toMatchObject({ status: 'cancelled' })
      const opened = await agency.pullRequests.ofRun(run.id)
      expect(opened.files.map((file) => file.path)).toEqual([`${kept}.txt`])
      expect(opened.body).toContain(`Write ${kept}`)
      expect(opened.body).not.toContain(`Write ${key}`)
      // With a moved target the result is merged once more before it lands.
      repository.write('mine.txt', 'mine\n')
      repository.commit('Meanwhile')
      await approve(agency, run)
      expect(await agency.settled(run)).toMatchObject({ status: 'done' })
      expect(repository.git('ls-files').split('\n')).toEqual(['README.md', `${kept}.txt`, 'mine.txt'])
    },
  )

  it('a merge that another process recorded meanwhile is in the result', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const again = Promise.withResolvers<void>()
    const isVerified = async (key: string): Promise<boolean> => (await agency.brief(run, key)).status === 'verified'
    let merges = 0
    let second: Promise<void> | undefined
    const agency: TestAgency = await openAgency({
      workspaces,
      repositories: {
        ...repositories,
        merge: async (branch) => {
          if (branch.into[0]?.briefId !== (await agency.brief(run, 'b')).id) return repositories.merge(branch)
          merges += 1
          // The second merge of b waits until the first one was recorded or refused.
          if (merges === 2) await Promise.race([again.promise, agency.until(() => isVerified('b'))])
          if (merges === 3) again.resolve()
          const merged = await repositories.merge(branch)
          if (merges === 1) {
            agency.gate('late').open()
            await agency.until(async () => (await agency.brief(run, 'a')).heldBy === 'merge')
            second = agency.engine.integrate(branch.runId)
            await agency.until(() => isVerified('a'))
          }
          return merged
        },
      },
    })
    const run = await agency.run({
      goal: 'Two',
      repo: repository.path,
      briefs: ['a', 'b'].map((key) => ({
        key,
        objective: key,
        runtimeOptions: play([...(key === 'a' ? [{ log: 'gate late' }] : []), ...writes(`${key}.txt`, key)]),
      })),
    })
    await agency.engine.start()
    await gateOf(agency, run)
    expect((await agency.pullRequests.ofRun(run.id)).files.map((file) => file.path)).toEqual(['a.txt', 'b.txt'])
    const merged = (await agency.events(run)).filter(({ kind }) => kind === 'branch_merged')
    expect(merged).toHaveLength(2)
    // Otherwise it would outlive its repository.
    await second
  })

  it('nothing of the run can be cancelled; after a refused landing the gate opens again with the reason', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const landing = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const agency = await openAgency({
      workspaces,
      repositories: {
        ...repositories,
        land: async (target, result) => {
          landing.resolve()
          await goOn.promise
          repository.write('README.md', 'mine\n')
          return repositories.land(target, result)
        },
      },
    })
    await agency.engine.start()
    const run = await agency.run({ goal: 'x', repo: repository.path, play: [writes('a.txt', 'a')] })
    const gate = await gateOf(agency, run)
    await approve(agency, run)
    await landing.promise
    await expect(agency.runs.cancel(operator, run.id, undefined)).rejects.toMatchObject({ code: 'conflict' })
    goOn.resolve()
    const again = await agency.until(async () =>
      (await agency.gates.ofRun(run.id)).gates.find((each) => each.status === 'pending'),
    )
    expect(again.id).not.toBe(gate.id)
    expect(again.summary).toMatchObject({ anomalies: [expect.stringContaining('uncommitted')] })
    await agency.runs.cancel(operator, run.id, undefined)
    expect(repository.git('log', '--oneline').split('\n')).toHaveLength(1)
  })
})

describe('work in an agent’s clone', () => {
  async function opened() {
    const repository = makeRepository({ 'a.txt': 'a\n' })
    const { repositories, workspaces } = openRepositories()
    const agency = await openAgency({ repositories, workspaces, defaults: { onLimit: 'ask' } })
    await agency.engine.start()
    return { repository, agency }
  }

  it('without changes is sent back; if its evidence passes, a person decides', async () => {
    const { repository, agency } = await opened()
    const idle: StepInput[] = [{ report: { summary: 'nothing to do' } }]
    const run = await agency.run({ goal: 'x', repo: repository.path, play: [idle, writes('b.txt', 'b')] })
    await gateOf(agency, run)
    expect(await agency.brief(run)).toMatchObject({ attempts: 2, retriesUsed: 1 })
    const held = await agency.run({
      goal: 'x',
      repo: repository.path,
      evidence: [{ kind: 'file', path: 'a.txt' }],
      play: [idle],
    })
    const gate = await agency.until(async () =>
      (await agency.inspect(held)).gates.find(({ status }) => status === 'pending'),
    )
    const anomalies: unknown = [expect.stringContaining('No verifier has looked')]
    expect(gate).toMatchObject({ gate: 'acceptance', summary: { anomalies } })
  })

  it('with a secret in any commit leads to a question to the operator', async () => {
    const { repository, agency } = await opened()
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const commits = 'git add -A && git -c user.name=x -c user.email=x@y commit -qm wip'
    const run = await agency.run({
      goal: 'x',
      repo: repository.path,
      play: [
        [
          { write: { path: 'config.ts', text: `export const token = '${key}'\n` } },
          { run: commits },
          ...writes('config.ts', 'export const token = process.env.TOKEN\n'),
        ],
        [{ run: 'git reset -q --soft $(git rev-list --max-parents=0 HEAD)' }, { report: { outputs: ['config.ts'] } }],
      ],
    })
    const asked = await question(agency, run)
    expect(asked).toMatchObject({ class: 'secret', options: [{ key: 'remove' }, { key: 'allow' }, { key: 'abandon' }] })
    expect(asked.text).toContain('config.ts:1')
    const { questions, events, attempts } = await agency.inspect(run)
    expect(JSON.stringify([questions, events, attempts])).not.toContain(key)
    await agency.questions.answer(operator, asked.id, 'remove')
    await gateOf(agency, run)
    expect((await agency.pullRequests.diff(run.id, undefined)).text).toContain('process.env.TOKEN')
  })

  it('is collected also if its report names nothing', async () => {
    const { repository, agency } = await opened()
    const silent: StepInput[] = [{ write: { path: 'b.txt', text: 'b' } }, { run: 'rm a.txt' }, { report: {} }]
    const run = await agency.run({ goal: 'x', repo: repository.path, play: [silent] })
    await gateOf(agency, run)
    expect((await agency.inspect(run)).artifacts.map((artifact) => artifact.name)).toEqual(['b.txt'])
    expect((await agency.pullRequests.ofRun(run.id)).files.map((file) => file.path)).toEqual(['a.txt', 'b.txt'])
  })

  it('with a suspected secret passes after the operator has allowed it', async () => {
    const { repository, agency } = await opened()
    const run = await agency.run({
      goal: 'x',
      repo: repository.path,
      play: [writes('fixture.ts', `export const token = 'ghp_${'z9Y8x7W6v5U4'.repeat(3)}'\n`)],
    })
    const asked = await question(agency, run)
    await agency.questions.answer(operator, asked.id, 'allow')
    await gateOf(agency, run)
    expect(await agency.brief(run)).toMatchObject({ status: 'verified', attempts: 2 })
  })

  it('under .agency, on rewritten history, or without its .git is not collected', async () => {
    const { repository, agency } = await opened()
    const commits = 'git add -Af && git -c user.name=x -c user.email=x@y commit -qm x'
    const run = await agency.run({
      goal: 'x',
      repo: repository.path,
      play: [
        [{ run: `mkdir -p .agency && echo x > .agency/x && git add -f .agency/x && ${commits}` }, { report: {} }],
        [
          {
            run: `git checkout -q --orphan other && git rm -rfq --cached --ignore-unmatch .agency && rm -rf .agency/x && ${commits}`,
          },
          { report: {} },
        ],
        [{ run: 'rm -rf .git' }, { report: {} }],
        [{ run: 'rm -rf .agency/x' }, ...writes('b.txt', 'b')],
      ],
    })
    const gate = agency.until(async () =>
      (await agency.gates.ofRun(run.id)).gates.find((each) => each.status === 'pending'),
    )
    await gate
    const failed = (await agency.events(run)).filter((event) => event.kind === 'retried').map((event) => event.message)
    expect(failed[0]).toContain('.agency')
    expect(failed[1]).toContain('history was rewritten')
    expect(failed).toHaveLength(3)
    expect((await agency.pullRequests.ofRun(run.id)).files.map((file) => file.path)).toContain('b.txt')
  })
})

it('a run without a repository has no branches', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.run({ play: [writes('poem.txt', 'x')] })
  await agency.settled(run)
  const kinds = (await agency.events(run)).map((event) => event.kind)
  expect(kinds.filter((kind) => /branch|pr_|merge/.test(kind))).toEqual([])
  await expect(agency.pullRequests.ofRun(run.id)).rejects.toMatchObject({ code: 'not_found' })
})
