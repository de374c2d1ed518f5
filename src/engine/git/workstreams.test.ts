// @suite process

import { describe, expect, it } from 'vitest'

import type { Scenario, StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { tieredMedium } from '../../adapters/runtime/scripted/tiered/medium.ts'
import { openAgency, startAgency, type StartRun, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { aRun, operator } from '../../../test/support/work.ts'
import { nothingFound } from '../outcome/view.ts'
import { record, updated } from '../../events/change.ts'
import type { Decision, NewBrief, Playbook, PlaybookEvent, View } from '../../playbooks/contract.ts'
import { placeOf } from '../../playbooks/tiered/base-steps.ts'
import { tiered } from '../../playbooks/tiered/decide.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { Part } from '../../work/parts/contract.ts'
import { findPart, parts } from '../../work/parts/store.ts'
import type { Run } from '../../work/runs/contract.ts'

interface Stream {
  id: string
  domain: string
  tasks: { id: string; squad?: string; after?: string[] }[]
}

/** A run without a team of its own. */
const plain: View = { run: aRun(), liveAttempts: 0, parts: [], tally: {}, found: nothingFound }
const pipeline = { files: [] as string[], flow: 'pipeline' as const }

/**
 * A minimal team with branches: T1 plans, a T2 for each workstream assigns its tasks, tasks pass when all of them are
 * finished, a workstream is merged with its last task, T1 accepts, the operator merges.
 */
function teamOf(streams: Stream[]): Playbook {
  const step = (key: string, phase: string, tier: 't1' | 't2', more: Partial<NewBrief> = {}): NewBrief => ({
    key,
    kind: 'plan',
    phase,
    title: key,
    objective: key,
    part: 'run',
    retryBudget: 2,
    ...placeOf(plain, { tier, label: key, workstream: more.groupKey ?? null }),
    ...more,
  })
  const keyOf = ({ id }: Stream, task: Stream['tasks'][number]): string => `t4:${id}:${task.squad ?? 'main'}:${task.id}`
  const tasksOf = (stream: Stream, owner: Brief): NewBrief[] =>
    stream.tasks.map((task) => ({
      key: keyOf(stream, task),
      kind: 'work',
      phase: 't4',
      title: `Task ${task.id}`,
      objective: task.id,
      part: `sq:${stream.id}`,
      ownerId: owner.id,
      retryBudget: 2,
      ...placeOf(plain, { tier: 't4', label: task.id, workstream: stream.id, task: pipeline }),
      after: (task.after ?? []).map((id) =>
        keyOf(
          stream,
          stream.tasks.find((each) => each.id === id)!,
        ),
      ),
    }))
  const workOf = (view: View, id: string): Brief[] =>
    (view.found.groups?.[id] ?? []).filter(({ kind, status }) => kind === 'work' && status !== 'cancelled')

  function decide(view: View, event: PlaybookEvent): readonly Decision[] {
    switch (event.kind) {
      case 'run_started':
        return [
          {
            kind: 'log',
            event: { message: 'begin' },
            parts: [
              { key: 'run' },
              ...streams.flatMap(({ id, domain }) => [
                { key: `ws:${id}`, parent: 'run', data: { domain } },
                { key: `sq:${id}`, parent: `ws:${id}` },
              ]),
            ],
          },
          { kind: 'add_briefs', briefs: [step('t1-plan', 't1_plan', 't1')] },
        ]
      case 'brief_ready':
        return ready(view, event.brief)
      case 'brief_verified': {
        const { kind, groupKey: workstream } = event.brief
        const all = kind === 'work' ? workOf(view, workstream as string) : []
        return all.length > 0 && all.every(({ status }) => status === 'verified')
          ? [{ kind: 'merge_part', part: `ws:${workstream}` }]
          : []
      }
      case 'part_merged': {
        const left = (view.found.partsBelow['run'] ?? []).filter(
          ({ key, status }) => key !== event.part && status !== 'done',
        )
        const done: Decision = {
          kind: 'log',
          event: { message: `${event.part} done` },
          parts: [{ key: event.part, status: 'done' }],
        }
        return left.length > 0 ? [done] : [done, { kind: 'add_briefs', briefs: [step('t1-accept', 't1_accept', 't1')] }]
      }
      case 'part_conflict':
        return [
          {
            kind: 'rework_brief',
            brief: workOf(view, event.part.slice(3)).at(-1) as Brief,
            counter: 'retries',
            corrections: event.files.map((file) => ({ evidence: file, detail: 'changed above too' })),
          },
        ]
      case 'gate_approved':
        return [{ kind: 'land' }]
      default:
        return []
    }
  }

  function ready(view: View, brief: Brief): readonly Decision[] {
    const passed: Decision = { kind: 'pass_brief', brief, reason: 'it holds' }
    const stream = streams.find(({ id }) => id === brief.groupKey)
    if (brief.phase === 't1_plan')
      return [
        passed,
        {
          kind: 'add_briefs',
          briefs: streams.map(({ id }) =>
            step(`t2-spec:${id}`, 't2_specialist', 't2', { groupKey: id, ownerId: brief.id }),
          ),
        },
      ]
    if (brief.phase === 't2_specialist')
      return [passed, { kind: 'add_briefs', briefs: tasksOf(stream as Stream, brief) }]
    if (brief.phase === 't1_accept')
      return [passed, { kind: 'open_gate', gate: 'merge', summary: { produced: '', next: '', anomalies: [] } }]
    const all = workOf(view, brief.groupKey as string)
    const isOver = all.every(({ status }) => ['ready_for_verification', 'verified'].includes(status))
    return isOver
      ? all
          .filter(({ status }) => status === 'ready_for_verification')
          .map((each) => ({ kind: 'pass_brief', brief: each, reason: 'all are there' }) satisfies Decision)
      : []
  }

  // The steps of this team have no outputs of a fixed shape.
  const { outputs: _outputs, casts: _casts, faults: _faults, ...names } = tiered
  return {
    ...names,
    decide,
    needs: () => ({ partsBelow: ['run'], groups: streams.map(({ id }) => id) }),
  }
}

const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { summary: `wrote ${path}`, outputs: [path] } },
]

/** Merges commits without a ref in the agent's clone: their objects are available through the mirror. */
const merges = (ref: string): StepInput => ({
  run: `git merge -q --no-edit $(git --git-dir="$(dirname "$(cat .git/objects/info/alternates)")" for-each-ref --format='%(objectname)' 'refs/heads/${ref}') || true`,
})

const looks: StepInput[] = [{ report: { output: {} } }]
const steps = { t1_plan: { steps: looks }, t2_specialist: { steps: looks }, t1_accept: { steps: looks } }

const gateOf = (agency: TestAgency, run: Run) =>
  agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find((gate) => gate.status === 'pending'))

const approve = (agency: TestAgency, run: Run) => agency.gates.approve(operator, { target: run.id, gate: 'merge' })

const start = (
  agency: TestAgency,
  repository: TestRepository,
  phases: Record<string, unknown>,
  more: Partial<StartRun> = {},
) =>
  agency.run({
    goal: 'Build it',
    playbook: 'tiered',
    repo: repository.path,
    runtimeOptions: { scenario: { phases: { ...steps, ...phases } } },
    ...more,
  })

const inMirror = (repository: TestRepository, run: Run, ...args: string[]): string =>
  repository.git(`--git-dir=${run.repository?.mirror}`, ...args)

const branchesOf = (repository: TestRepository, run: Run): string[] =>
  inMirror(repository, run, 'branch', '--list', '--format=%(refname:short)', `*${run.id}*`)
    .split('\n')
    .map((name) => name.replace(run.id, '<run>'))

const two: Stream[] = [
  { id: 'api', domain: 'Back end', tasks: [{ id: 'queue' }, { id: 'sender' }] },
  { id: 'web', domain: 'final', tasks: [{ id: 'page' }] },
]

describeStores('a run of workstreams in a repository', (openFresh) => {
  it('has a branch for each task, workstream and domain, and one for the result', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces, playbooks: [teamOf(two)] })
    const before = repository.git('rev-parse', 'main')
    const run = await start(agency, repository, {
      't4:queue': { steps: writes('queue.ts', 'queue\n') },
      't4:sender': { steps: writes('sender.ts', 'sender\n') },
      't4:page': { steps: writes('page.html', 'page\n') },
    })
    await gateOf(agency, run)
    expect(branchesOf(repository, run)).toEqual([
      'feature/<run>/api/queue',
      'feature/<run>/api/sender',
      'feature/<run>/web/page',
      'integration/<run>/back-end',
      'integration/<run>/final',
      'integration/<run>/final-domain',
      'workstream/<run>/api',
      'workstream/<run>/web',
    ])
    const { briefs } = await agency.inspect(run)
    const idOf = (key: string): string => briefs.find((brief) => brief.key === key)?.id ?? ''
    const trailers = [
      'log',
      '--merges',
      '--first-parent',
      '--format=%(trailers:key=Agency-Brief,valueonly,separator=%x2C)',
    ]
    const ownersIn = (range: string): string[] => [
      ...new Set(inMirror(repository, run, ...trailers, range).split('\n')),
    ]
    const [workstream, domain, final] = ['workstream/ID/api', 'integration/ID/back-end', 'integration/ID/final'].map(
      (name) => name.replace('ID', run.id),
    )
    expect(ownersIn(workstream!)).toContain(idOf('t2-spec:api'))
    expect(ownersIn(`${workstream}..${domain}`)).toEqual([idOf('t2-spec:api')])
    expect(ownersIn(`${domain}..${final}`)).toContain(idOf('t1-plan'))
    expect(inMirror(repository, run, 'log', '--format=%(trailers:key=Agency-Work,valueonly)', workstream!)).toContain(
      idOf('t4:api:main:queue'),
    )
    expect(inMirror(repository, run, 'ls-tree', '--name-only', final!).split('\n')).toEqual([
      'README.md',
      'page.html',
      'queue.ts',
      'sender.ts',
    ])
    const opened = await agency.pullRequests.ofRun(run.id)
    expect(opened).toMatchObject({ source: final, target: 'main', status: 'open' })
    for (const text of ['api', 'web', 'Task queue', 'Task page']) expect(opened.body).toContain(text)
    expect(repository.git('rev-parse', 'main')).toBe(before)

    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.read('sender.ts')).toBe('sender\n')
    const kinds = (await agency.events(run)).map((event) => event.kind)
    expect(kinds.filter((kind) => kind === 'branch_merged')).toHaveLength(5)
  })

  it.each([1, 2] as const)('is merged exactly once after a kill at merge %d', async (time) => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const playbooks = [teamOf([{ id: 'api', domain: 'backend', tasks: [{ id: 'queue' }] }])]
    let merges = 0
    const agency: TestAgency & { store: FreshStore } = await startAgency(openFresh, {
      repositories,
      workspaces,
      playbooks,
      mayLogErrors: true,
      chaosPoint: (reached) => {
        if (reached === 'branch.merged' && ++merges === time) agency.die()
      },
    })
    const run = await start(agency, repository, { t4: { steps: writes('queue.ts', 'queue\n') } })
    await agency.passed('branch.merged', time)
    const next = await openAgency({ db: agency.store.db, clock: agency.clock, repositories, workspaces, playbooks })
    await next.engine.start()
    await gateOf(next, run)
    await approve(next, run)
    expect(await next.settled(run)).toMatchObject({ status: 'done' })
    // Merges of the task, the workstream and the domain.
    expect(repository.git('log', '--merges', '--format=%s', 'main').split('\n')).toHaveLength(3)
    const events = await next.events(run)
    expect(events.filter(({ kind }) => kind === 'branch_merged')).toHaveLength(2)
    expect(events.filter(({ message }) => message === 'ws:api done')).toHaveLength(1)
  })

  it('with a conflict between workstreams sends the last task back with instructions and leaves no partial merge', async () => {
    const repository = makeRepository({ 'list.txt': 'one\n' })
    const { repositories, workspaces } = openRepositories()
    const streams: Stream[] = [
      { id: 'api', domain: 'same', tasks: [{ id: 'a' }] },
      { id: 'web', domain: 'same', tasks: [{ id: 'b' }] },
    ]
    const bothPassed = Promise.withResolvers<void>()
    const agency = await startAgency(openFresh, {
      workspaces,
      playbooks: [teamOf(streams)],
      repositories: {
        ...repositories,
        merge: async (branch) => {
          await bothPassed.promise
          return repositories.merge(branch)
        },
      },
    })
    const joins = (id: string): StepInput[][] => [
      writes('list.txt', `one\n${id}\n`),
      [{ log: 'gate told' }, merges('integration/*/final'), ...writes('list.txt', 'one\na\nb\n')],
    ]
    const run = await start(agency, repository, { 't4:a': { attempts: joins('a') }, 't4:b': { attempts: joins('b') } })
    for (const key of ['t4:api:main:a', 't4:web:main:b'])
      await agency.until(async () => {
        const { briefs } = await agency.inspect(run)
        return briefs.find((brief) => brief.key === key)?.heldBy === 'merge'
      })
    bothPassed.resolve()
    const told = await agency.until(async () =>
      (await agency.events(run)).find(({ kind }) => kind === 'merge_conflict'),
    )
    expect(told.data).toEqual({ files: ['list.txt'] })
    await agency.gate('told').reached
    const { head } = await agency.runs.show(run.id)
    const keyOfLater = told.workstream === 'web' ? 't4:web:main:b' : 't4:api:main:a'
    const later = await agency.brief(run, keyOfLater)
    expect(later).toMatchObject({ retriesUsed: 1, attempts: 2, heldBy: null })
    expect(later.corrections).toEqual([
      { evidence: 'list.txt', detail: 'changed above too' },
      { evidence: 'how', detail: `git merge ${head}, resolve the conflicts, commit` },
    ])
    expect(agency.prompts.get(later.attemptId as string)).toContain(`git merge ${head}`)
    const first = told.workstream === 'web' ? 'one\na' : 'one\nb'
    expect(inMirror(repository, run, 'show', `integration/${run.id}/same:list.txt`)).toBe(first)
    agency.gate('told').open()
    await gateOf(agency, run)
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.read('list.txt')).toBe('one\na\nb\n')
  })
})

describe('during a merge in git', () => {
  const inTree = (repository: TestRepository, run: Run, commit: string): string[] =>
    inMirror(repository, run, 'ls-tree', '--name-only', commit).split('\n')

  it('a cancelled task is not merged into its workstream', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency: TestAgency = await openAgency({
      workspaces,
      playbooks: [teamOf([{ id: 'api', domain: 'x', tasks: [{ id: 'a' }, { id: 'b' }] }])],
      repositories: {
        ...repositories,
        merge: async (branch) => {
          const merged = await repositories.merge(branch)
          const task = branch.into[0]?.workId
          if (task !== undefined && (await agency.brief({ id: branch.runId }, 't4:api:main:a')).id === task)
            await agency.briefs.update(operator, task, 'cancelled', undefined)
          return merged
        },
      },
    })
    await agency.engine.start()
    const run = await start(agency, repository, {
      't4:a': { steps: writes('a.txt', 'a\n') },
      't4:b': { steps: writes('b.txt', 'b\n') },
    })
    await gateOf(agency, run)
    const opened = await agency.pullRequests.ofRun(run.id)
    expect(opened.files.map(({ path }) => path)).toEqual(['b.txt'])
    expect(opened.body).not.toContain('Task a')
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.git('ls-files').split('\n')).toEqual(['README.md', 'b.txt'])
  })

  it('a cancelled workstream is neither in its domain nor in the result', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const streams: Stream[] = ['api', 'cli', 'web'].map((id) => ({ id, domain: 'same', tasks: [{ id }] }))
    const agency: TestAgency = await openAgency({
      workspaces,
      playbooks: [teamOf(streams)],
      repositories: {
        ...repositories,
        merge: async (branch) => {
          const merged = await repositories.merge(branch)
          if (branch.into[0]?.title !== 'Merge workstream cli') return merged
          await agency.db.write([`run:${branch.runId}`], async (tx) => {
            const part = (await findPart(tx, branch.runId, 'ws:cli')) as Part
            const patch = { status: 'cancelled' as const, heldBy: null }
            await record(tx, { kind: 'log', by: 'test', runId: branch.runId, message: 'cancelled' }, [
              updated(parts, part, patch),
            ])
          })
          agency.gate('web').open()
          return merged
        },
      },
    })
    await agency.engine.start()
    const merged = async (id: string): Promise<boolean> =>
      (await agency.db.read((tx) => findPart(tx, run.id, `ws:${id}`)))?.domainHead !== null
    const run = await start(agency, repository, {
      't4:api': { steps: writes('api.txt', 'api\n') },
      't4:cli': { steps: [{ log: 'gate cli' }, ...writes('cli.txt', 'cli\n')] },
      't4:web': { steps: [{ log: 'gate web' }, ...writes('web.txt', 'web\n')] },
    })
    await agency.until(() => merged('api'))
    agency.gate('cli').open()
    await agency.until(() => merged('web'))
    const { head } = await agency.runs.show(run.id)
    const expected = ['README.md', 'api.txt', 'web.txt']
    expect(inTree(repository, run, head as string)).toEqual(expected)
    for (const branch of ['final', 'same'])
      expect(inTree(repository, run, `integration/${run.id}/${branch}`)).toEqual(expected)
  })
})

describe('a playbook that throws when a merge is recorded', () => {
  const throwing = (playbook: Playbook, kind: PlaybookEvent['kind'], isBroken: () => boolean): Playbook => ({
    ...playbook,
    decide: (view, event) => {
      if (event.kind === kind && isBroken()) throw new Error('a fault of the playbook')
      return playbook.decide(view, event)
    },
  })
  const question = (agency: TestAgency, run: Run) =>
    agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.answeredAt === null))
  const one: Stream[] = [{ id: 'api', domain: 'x', tasks: [{ id: 'a' }] }]

  it.each(['brief_verified', 'part_merged'] as const)(
    'at %s leads to a question, and the answer merges',
    async (kind) => {
      const repository = makeRepository()
      const { repositories, workspaces } = openRepositories()
      let isBroken = true
      const team = teamOf(one)
      // Steps of the team are verified without git.
      const isWork = (event: PlaybookEvent): boolean => !('brief' in event) || event.brief.kind === 'work'
      const playbook: Playbook = {
        ...team,
        decide: (view, event) => (isWork(event) ? throwing(team, kind, () => isBroken) : team).decide(view, event),
      }
      const agency = await openAgency({ repositories, workspaces, playbooks: [playbook], mayLogErrors: true })
      await agency.engine.start()
      const run = await start(agency, repository, { t4: { steps: writes('a.txt', 'a\n') } })
      const asked = await question(agency, run)
      expect(asked).toMatchObject({ class: 'fault', text: expect.stringContaining('a fault of the playbook') })
      const task = await agency.brief(run, 't4:api:main:a')
      expect(task).toMatchObject(
        kind === 'brief_verified' ? { status: 'blocked', heldBy: 'merge' } : { status: 'verified', heldBy: null },
      )
      expect((await agency.runs.show(run.id)).head).toBe(run.repository?.base)
      isBroken = false
      await agency.questions.answer(operator, asked.id, 'retry')
      await gateOf(agency, run)
      expect(await agency.brief(run, 't4:api:main:a')).toMatchObject({ status: 'verified', attempts: 1 })
      expect((await agency.pullRequests.ofRun(run.id)).files.map(({ path }) => path)).toEqual(['a.txt'])
    },
  )

  it('after a refused landing leads to a question; the run fails if the operator gives up', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' })
    const { repositories, workspaces } = openRepositories()
    const playbooks = [throwing(teamOf(one), 'merge_failed', () => true)]
    const agency = await openAgency({ repositories, workspaces, playbooks, mayLogErrors: true })
    await agency.engine.start()
    const run = await start(agency, repository, { t4: { steps: writes('a.txt', 'theirs\n') } })
    await gateOf(agency, run)
    repository.write('a.txt', 'mine\n')
    repository.commit('Mine')
    await approve(agency, run)
    const asked = await question(agency, run)
    expect(asked).toMatchObject({ class: 'fault', briefId: null })
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'accepting', heldBy: `question:${asked.id}` })
    await agency.questions.answer(operator, asked.id, 'abandon')
    expect(await agency.settled(run)).toMatchObject({ status: 'failed' })
  })
})

describe('a task in a repository', () => {
  async function opened(streams: Stream[], files?: Record<string, string>, playbook: Playbook = teamOf(streams)) {
    const repository = makeRepository(files)
    const { repositories, workspaces } = openRepositories()
    const agency = await openAgency({ repositories, workspaces, playbooks: [playbook] })
    await agency.engine.start()
    return { repository, agency }
  }
  const promptOf = async (agency: TestAgency, run: Run, key: string): Promise<string> =>
    agency.prompts.get((await agency.brief(run, key)).attemptId as string) ?? ''

  it('starts from the work that it depends on, merged or not; from the first of several, with instructions for the others', async () => {
    const tasks = [{ id: 'a' }, { id: 'b' }, { id: 'c', after: ['a', 'b'] }]
    const { repository, agency } = await opened([{ id: 'api', domain: 'x', tasks }])
    const run = await start(agency, repository, {
      't4:a': { steps: writes('a.txt', 'a\n') },
      't4:b': { steps: writes('b.txt', 'b\n') },
      't4:c': { steps: [merges('feature/*/api/b'), ...writes('c.txt', 'c\n')] },
    })
    await gateOf(agency, run)
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((id) => agency.brief(run, `t4:api:main:${id}`)))
    expect(c?.startCommit).toBe(a?.branchCommit)
    const prompt = await promptOf(agency, run, 't4:api:main:c')
    expect(prompt).toContain(`git merge ${b?.branchCommit}`)
    expect(prompt).not.toContain(`git merge ${a?.branchCommit}`)
    expect((await agency.pullRequests.ofRun(run.id)).files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  it('gets instructions to merge a dependency that was done again, and keeps its clone', async () => {
    const tasks = [{ id: 'a' }, { id: 'b', after: ['a'] }]
    const team = teamOf([{ id: 'api', domain: 'x', tasks }])
    const again: Playbook = {
      ...team,
      decide: (view, event) => {
        if (event.kind !== 'brief_ready' || event.brief.objective !== 'b' || event.brief.attempts > 1)
          return team.decide(view, event)
        const a = view.found.groups?.['api']?.find(({ objective }) => objective === 'a') as Brief
        const corrections = [{ evidence: 'a.txt', detail: 'more' }]
        return [
          { kind: 'rework_brief', brief: a, corrections, counter: 'retries' },
          { kind: 'send_back', brief: event.brief, reason: 'a is done again', class: 'invalidated' },
        ]
      },
    }
    const { repository, agency } = await opened([], undefined, again)
    const run = await start(agency, repository, {
      't4:a': { attempts: [writes('a.txt', 'a\n'), writes('a.txt', 'more\n')] },
      't4:b': {
        attempts: [
          writes('b.txt', 'b\n'),
          [{ run: 'test -f b.txt' }, merges('feature/*/api/a'), ...writes('c.txt', 'c\n')],
        ],
      },
    })
    await gateOf(agency, run)
    const [a, b] = await Promise.all(['a', 'b'].map((id) => agency.brief(run, `t4:api:main:${id}`)))
    expect(b).toMatchObject({ attempts: 2, retriesUsed: 0 })
    expect(b?.startCommit).not.toBe(a?.branchCommit)
    expect(await promptOf(agency, run, 't4:api:main:b')).toContain(`git merge ${a?.branchCommit}`)
    const shown = ['a.txt', 'b.txt', 'c.txt'].map((name) => inMirror(repository, run, 'show', `${b?.branch}:${name}`))
    expect(shown).toEqual(['more', 'b', 'c'])
  })

  it('that resolves a conflict by reverting all its work is sent back again', async () => {
    const repository = makeRepository({ 'list.txt': 'one\n' })
    const { repositories, workspaces } = openRepositories()
    const team = teamOf([
      { id: 'api', domain: 'same', tasks: [{ id: 'a' }] },
      { id: 'web', domain: 'same', tasks: [{ id: 'b' }] },
    ])
    const bothPassed = Promise.withResolvers<void>()
    const agency = await openAgency({
      workspaces,
      playbooks: [team],
      repositories: {
        ...repositories,
        merge: async (branch) => {
          await bothPassed.promise
          return repositories.merge(branch)
        },
      },
    })
    await agency.engine.start()
    const joins = (id: string, stream: string): StepInput[][] => [
      writes('list.txt', `one\n${id}\n`),
      [{ run: 'git reset -q --hard HEAD~1' }, { report: { outputs: ['list.txt'] } }],
      [merges(`workstream/*/${stream}`), merges('integration/*/final'), ...writes('list.txt', 'one\na\nb\n')],
    ]
    const attempts = { 't4:a': { attempts: joins('a', 'api') }, 't4:b': { attempts: joins('b', 'web') } }
    // With evidence of the operator, work that changes nothing is not sent back for that alone.
    const run = await start(agency, repository, attempts, {
      evidence: [{ kind: 'file', path: 'list.txt', minBytes: 0 }],
    })
    for (const key of ['t4:api:main:a', 't4:web:main:b'])
      await agency.until(async () => {
        const { briefs } = await agency.inspect(run)
        return briefs.find((brief) => brief.key === key)?.heldBy === 'merge'
      })
    bothPassed.resolve()
    await gateOf(agency, run)
    const [first, second, ...more] = (await agency.events(run)).filter(({ kind }) => kind === 'merge_conflict')
    expect([second?.workstream, second?.briefId, more]).toEqual([first?.workstream, null, []])
    const { briefs } = await agency.inspect(run)
    const task = briefs.find(({ kind, groupKey: workstream }) => kind === 'work' && workstream === first?.workstream)
    expect(task).toMatchObject({ attempts: 3, retriesUsed: 2 })
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.read('list.txt')).toBe('one\na\nb\n')
  })

  it('with a conflict inside its workstream gets the files and the commit to merge', async () => {
    const { repository, agency } = await opened([{ id: 'api', domain: 'x', tasks: [{ id: 'a' }, { id: 'b' }] }], {
      'list.txt': 'one\n',
    })
    const run = await start(agency, repository, {
      't4:a': { steps: writes('list.txt', 'one\na\n') },
      't4:b': {
        attempts: [writes('list.txt', 'one\nb\n'), [merges('workstream/*/api'), ...writes('list.txt', 'one\na\nb\n')]],
      },
    })
    await gateOf(agency, run)
    const b = await agency.brief(run, 't4:api:main:b')
    expect(b).toMatchObject({ retriesUsed: 1, attempts: 2 })
    expect(b.corrections.map(({ evidence }) => evidence)).toEqual(['list.txt', 'how'])
    const how = b.corrections[1]?.detail.match(/^git merge (\w+)/)?.[1] as string
    expect(inMirror(repository, run, 'show', `${how}:list.txt`)).toBe('one\na')
    const retried = (await agency.events(run)).filter(({ kind }) => kind === 'retried')
    expect(retried.map(({ data }) => data['class'])).toEqual(['bad_output'])
  })

  it('has a branch of its own also if another squad uses the same name; its remainder stays on it', async () => {
    const tasks = [
      { id: 'a', squad: 'one' },
      { id: 'a', squad: 'two' },
    ]
    const { repository, agency } = await opened([{ id: 'api', domain: 'x', tasks }])
    const part: StepInput[] = [
      { write: { path: 'half.txt', text: 'half\n' } },
      { report: { status: 'partial', summary: 'half', outputs: ['half.txt'], remaining: 'the other half' } },
    ]
    const run = await start(agency, repository, {
      't4:api:one:a': { attempts: [part] },
      't4:api:two:a': { steps: writes('two.txt', '2\n') },
      't4:1': { steps: writes('whole.txt', 'whole\n') },
    })
    await gateOf(agency, run)
    const { briefs } = await agency.inspect(run)
    const [first, second, rest] = ['t4:api:one:a', 't4:api:two:a', 't4:api:one:a:rest:1'].map((key) =>
      briefs.find((brief) => brief.key === key),
    )
    expect(first?.branch).toBe(`feature/${run.id}/api/a`)
    expect(second?.branch).toMatch(new RegExp(`^feature/${run.id}/api/a-[a-z0-9]{8}$`))
    expect(rest).toMatchObject({ branch: first?.branch, startCommit: first?.startCommit, status: 'verified' })
    expect(branchesOf(repository, run).filter((name) => name.startsWith('feature'))).toHaveLength(2)
    expect(inMirror(repository, run, 'rev-parse', first?.branch as string)).toBe(rest?.branchCommit)
  })
})

describe('a step in a repository', () => {
  it('sees the newest state of its workstream or run, and leaves no changes', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await openAgency({
      repositories,
      workspaces,
      playbooks: [teamOf([{ id: 'api', domain: 'x', tasks: [{ id: 'a' }] }])],
    })
    await agency.engine.start()
    const run = await start(agency, repository, {
      t1_plan: { steps: [{ run: 'test -f README.md && test ! -f a.txt' }, ...looks] },
      t4: { steps: writes('a.txt', 'a\n') },
      t1_accept: {
        attempts: [
          [{ run: 'test -f a.txt && rm a.txt && git add -A && git commit -qm gone' }, { crash: {} }],
          [{ run: 'test -f a.txt' }, ...looks],
        ],
      },
    })
    await gateOf(agency, run)
    const { head } = await agency.runs.show(run.id)
    expect(await agency.brief(run, 't1-accept')).toMatchObject({ startCommit: head, branchCommit: null, attempts: 2 })
    expect(await agency.brief(run, 't1-plan')).toMatchObject({ startCommit: run.repository?.base, attempts: 1 })
    expect((await agency.pullRequests.ofRun(run.id)).files.map(({ path }) => path)).toEqual(['a.txt'])
    expect(branchesOf(repository, run).filter((name) => name.includes('main'))).toEqual([])
  })
})

/** Returns the scenario without its pauses, which are only for viewers. */
const atOnce = ({ phases = {} }: Scenario) => ({
  phases: Object.fromEntries(
    Object.entries(phases).map(([name, turns]) => [
      name,
      { attempts: turns.map((turn) => turn.filter((step) => !('wait' in step))) },
    ]),
  ),
})

it('a tiered run ends with all kinds of branches, and nothing reaches main before it is approved', async () => {
  const repository = makeRepository()
  const { repositories, workspaces } = openRepositories()
  const agency = await openAgency({ repositories, workspaces })
  await agency.engine.start()
  const before = repository.git('rev-parse', 'main')
  const run = await agency.run({
    goal: 'Limit the rate',
    playbook: 'tiered',
    repo: repository.path,
    runtimeOptions: { scenario: atOnce(tieredMedium) },
  })
  const passed: string[] = []
  while (passed.at(-1) !== 'merge') {
    const { gate } = await gateOf(agency, run)
    passed.push(gate)
    if (gate === 'merge') break
    await agency.gates.approve(operator, { target: run.id, gate })
  }
  const branches = branchesOf(repository, run)
  const { briefs } = await agency.inspect(run)
  const tasks = briefs.filter(({ phase, status }) => phase === 't4' && status !== 'cancelled')
  expect(branches.filter((name) => name.startsWith('feature/'))).toHaveLength(tasks.length)
  expect(branches.filter((name) => !name.startsWith('feature/'))).toEqual([
    'integration/<run>/backend',
    'integration/<run>/final',
    'workstream/<run>/rate-limit',
  ])
  expect(repository.git('rev-parse', 'main')).toBe(before)
  const { body, source } = await agency.pullRequests.ofRun(run.id)
  expect(source).toBe(`integration/${run.id}/final`)
  for (const text of ['### rate-limit: Rate limit (backend)', 'Verdict on rate-limit/', tasks[0]?.title as string])
    expect(body).toContain(text)
  await approve(agency, run)
  expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  expect(repository.git('rev-parse', 'main')).not.toBe(before)
})

it('a workstream with a conflict is fixed by its last task, verified again, and merged', async () => {
  const repository = makeRepository({ 'list.txt': 'one\n' })
  const { repositories, workspaces } = openRepositories()
  const bothPassed = Promise.withResolvers<void>()
  const agency = await openAgency({
    workspaces,
    repositories: {
      ...repositories,
      merge: async (branch) => {
        await bothPassed.promise
        return repositories.merge(branch)
      },
    },
  })
  await agency.engine.start()
  const workstream = (id: string) => ({
    id,
    name: `Part ${id}`,
    domain: 'lists',
    tier_path: ['t4', 't5'],
    parallel_group: 'A',
    t2_specialist: null,
    notes: '',
    evidence_required: [{ kind: 'file', path: 'list.txt' }],
  })
  const plan = {
    run_id: '{{inputs.run_id}}',
    goal_anchor: '{{inputs.goal_anchor}}',
    complexity: 'low',
    retry_budget_multiplier: 1,
    workstreams: ['a', 'b'].map(workstream),
    parallelism: { groups: { A: ['a', 'b'] }, sequence: ['A'] },
    self_critique_summary: 'It stands.',
  }
  const joins = (id: string) => ({
    attempts: [
      writes('list.txt', `one\n${id}\n`),
      [merges('integration/*/final'), ...writes('list.txt', 'one\na\nb\n')],
    ],
  })
  const run = await agency.run({
    goal: 'Two at once',
    playbook: 'tiered',
    repo: repository.path,
    runtimeOptions: {
      scenario: {
        phases: {
          t1_plan: { steps: [{ report: { output: plan } }] },
          t1_critique: { steps: [{ report: { output: plan } }] },
          't4:a': joins('a'),
          't4:b': joins('b'),
        },
      },
    },
  })
  await agency.gates.approve(operator, { target: run.id, gate: (await gateOf(agency, run)).gate })
  await agency.until(async () => {
    const { briefs } = await agency.inspect(run)
    return briefs.filter(({ phase, heldBy }) => phase === 't4' && heldBy === 'merge').length === 2
  })
  bothPassed.resolve()
  expect((await gateOf(agency, run)).gate).toBe('merge')
  const { briefs } = await agency.inspect(run)
  const mended = briefs.filter(({ phase, attempts }) => phase === 't4' && attempts === 2)
  expect(mended).toMatchObject([{ retriesUsed: 1, status: 'verified' }])
  expect(mended[0]?.corrections.map(({ detail }) => detail)).toEqual([
    'list.txt was also changed by others',
    expect.stringMatching(/^git merge [0-9a-f]{40}, resolve the conflicts/),
  ])
  await approve(agency, run)
  expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  expect(repository.read('list.txt')).toBe('one\na\nb\n')
})
