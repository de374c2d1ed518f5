import { describe, expect, it } from 'vitest'

import {
  aProposal,
  aTask,
  either,
  full,
  inTurn,
  medium,
  output,
  playOn,
  stubborn,
  type Otherwise,
  type Script,
  type Stream,
  teamed,
} from '../../../test/support/tiered/agents.ts'
import { Play, type Timer } from '../../../test/support/tiered/play.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { faultsOfTasks, overlapsOf } from './t4-tasks.ts'

const streams: readonly Stream[] = [{ id: 'api', path: full, domain: 'backend' }]
const two: Otherwise = ({ phase }) => (phase === 't2_specialist' ? output(aProposal('backend', ['web', 'db'])) : null)
const play = async (otherwise: Otherwise, script: Partial<Script> = {}, team = teamed()): Promise<Play> =>
  playOn(await Play.start({ team }), { streams, otherwise: either(two, otherwise), ...script })
const squadOf = (brief: Brief): string => (brief.inputs['squad'] as { id: string }).id
const lists =
  (phase: string, by: Readonly<Record<string, unknown>>): Otherwise =>
  (brief) =>
    brief.phase === phase && by[squadOf(brief)] !== undefined ? output({ tasks: by[squadOf(brief)] }) : null
const wellDone: Otherwise = () => null
const corrections = (run: Play, key: string): string[] => run.brief(key).corrections.map(({ detail }) => detail)

describe('a faulty list of tasks', () => {
  it.each([
    ['is rejected without tasks', [], 'the list has no tasks'],
    ['is rejected with a cycle', [aTask('a', { depends_on: ['b'] }), aTask('b', { depends_on: ['a'] })], 'cycle: a→b→a'],
    ['is rejected with a repeated id', [aTask('a'), aTask('a')], 'two tasks have the id "a"'],
    ['is rejected with an unknown dependency', [aTask('a', { depends_on: ['who'] })], 'task "a" depends on "who", which is not in the list'],
    ['is rejected with evidence outside the workspace', [aTask('a', { evidence_required: [{ kind: 'file', path: '../x' }] })], 'must be a path inside the workspace'],
    ['is rejected with a command as evidence', [{ ...aTask('a'), evidence_required: [{ kind: 'command', run: 'true' }] }], 'must be of kind file, artifact or schema'],
    ['is rejected with too many dependencies', Array.from({ length: 401 }, (_, index) => aTask(`t-${index}`, { depends_on: Array.from({ length: 50 }, (__, other) => `t-${other}`) })), 'the list has 20050 entries in depends_on, more than 20000'],
    ['is rejected with a task that has too many dependencies', [aTask('a', { depends_on: Array.from({ length: 51 }, (_, index) => `t-${index}`) })], 'depends_on'],
  ])('%s', async (_, tasks, fault) => {
    const run = await playOn(await Play.start(), {
      streams: [{ id: 'fix', path: medium }],
      otherwise: inTurn(({ phase }) => phase === 't3_plan', output({ tasks })),
    })
    expect(run.brief('t3-plan:fix:main')).toMatchObject({ attempts: 2, retriesUsed: 1 })
    expect(corrections(run, 't3-plan:fix:main').join('\n')).toContain(fault)
    expect(run.run.status).toBe('done')
  }) // prettier-ignore
})

it('searches the longest possible chain for cycles quickly', async () => {
  const begun = performance.now()
  const chain = Array.from({ length: 20_000 }, (_, index) =>
    aTask(`t-${index}`, { depends_on: index === 19_999 ? [] : [`t-${index + 1}`] }),
  )
  expect(faultsOfTasks(chain)).toEqual([])
  expect(performance.now() - begun).toBeLessThan(2_000)
})

it('commits the list of a single squad at once', async () => {
  const run = await playOn(await Play.start(), { streams: [{ id: 'fix', path: medium }] })
  expect(run.of('t3_mesh')).toEqual([])
  const done = run.lines.find(({ code }) => code === 'MESH_DONE')
  expect(done).toMatchObject({
    kind: 'all_committed',
    message: 'Task split of fix committed — 2 T4 tasks (2 swarm, 0 pipeline)',
    data: { leads: 1 },
  })
})

describe('squads of one domain', () => {
  const overlap = {
    web: [aTask('page'), aTask('login', { files: ['src/auth.ts'] })],
    db: [aTask('store', { files: ['./src/auth.ts'] })],
  }

  it('see each other’s drafts and their overlaps', async () => {
    const run = await play(lists('t3_plan', overlap), { stopAt: ['t5_verdict'] })
    expect(run.brief('t3-mesh:api:web').inputs).toMatchObject({
      peers: { 'api/db': [{ id: 'store' }] },
      overlaps: [{ task: 'login', what: 'src/auth.ts', with: 'api/db', their: 'store' }],
    })
  })

  it('see one overlap for each task, and the number of further ones', async () => {
    const all = (prefix: string) =>
      Array.from({ length: 2_000 }, (_, index) => aTask(`${prefix}-${index}`, { scope: 'auth', files: [] }))
    const { shown, more, claimed } = overlapsOf(all('a'), new Map([['api/db', all('b')]]))
    expect(shown).toHaveLength(200)
    expect(shown[1]).toEqual({ task: 'a-1', what: 'auth', with: 'api/db', their: 'b-0' })
    expect(more).toBe(1_800)
    expect([...claimed.keys()]).toEqual(['scope auth'])

    const many = (prefix: string) => all(prefix).slice(0, 201)
    const held = teamed({ gates: { t3Plan: true } })
    const run = await play(lists('t3_plan', { web: many('a'), db: many('b') }), { stopAt: ['t3_plan'] }, held)
    expect(run.brief('t3-mesh:api:web').inputs).toMatchObject({ more_overlaps: 1 })
    expect(run.brief('t3-mesh:api:db').inputs['overlaps']).toHaveLength(200)
  })

  it('cannot keep tasks that a peer has already committed', async () => {
    const first = inTurn(
      ({ phase }) => phase === 't3_mesh',
      output({ tasks: overlap.web }),
      output({ tasks: overlap.db }),
    )
    const run = await play(either(lists('t3_plan', overlap), first, lists('t3_mesh', { db: [aTask('store')] })))
    expect(corrections(run, 't3-mesh:api:db')).toEqual(['overlap: src/auth.ts with t3/web'])
    expect(run.run.status).toBe('done')
  })

  it('escalate overlaps that they do not settle', async () => {
    const run = await play(either(lists('t3_plan', overlap), stubborn))
    expect(run.escalations().map(({ to }) => to)).toEqual(['t2/api', 't2/lead', 't1', 'operator'])
    expect(run.questions).toMatchObject([{ briefId: run.brief('t3-mesh:api:db').id }])
  })

  it('revise, add and drop drafts; a squad without drafts is done', async () => {
    const run = await play(
      either(
        lists('t3_plan', overlap),
        lists('t3_mesh', { web: [aTask('page', { title: 'Another page' }), aTask('more')], db: [] }),
      ),
    )
    expect(run.of('t4').map(({ key, title, status }) => [key, title, status])).toEqual([
      ['t4:api:web:page', 'Another page', 'done'],
      ['t4:api:web:login', 'Make login', 'cancelled'],
      ['t4:api:db:store', 'Make store', 'cancelled'],
      ['t4:api:web:more', 'Make more', 'done'],
    ])
    expect(run.run.status).toBe('done')
  })

  it('start no task before all of them have committed', async () => {
    const run = await Play.start({ team: teamed() })
    await playOn(run, {
      streams,
      otherwise: either(two, lists('t3_plan', { web: [aTask('page')], db: [aTask('store')] })),
      stopAt: ['t2_synthesis'],
    })
    await run.approve('t2_synthesis')
    await run.launchAll(await run.runnable())
    for (const brief of run.live()) await run.end(brief, output({ tasks: [aTask(squadOf(brief))] }))
    const [first, second] = (await run.launchAll(await run.runnable())) as [Brief, Brief]
    await run.end(first, output({ tasks: first.inputs['tasks'] }))
    expect(run.of('t4').map(({ status }) => status)).toEqual(['committed', 'draft'])
    await run.end(second, output({ tasks: second.inputs['tasks'] }))
    expect(run.of('t4').map(({ status }) => status)).toEqual(['pending', 'pending'])
  })
})

describe('the gate before tasks start', () => {
  const gated = teamed({ gates: { t3Plan: true } })

  it('shows the tasks and holds them', async () => {
    const run = await play(wellDone, { stopAt: ['t3_plan'] }, gated)
    expect(run.pendingGates()[0]?.summary.produced).toContain('4 tasks of 2 squads (api/web, api/db):')
    expect(run.of('t4').every(({ status }) => status === 'committed')).toBe(true)
  })

  it('sends the lists back to their authors and reopens the drafts', async () => {
    const run = await play(wellDone, { stopAt: ['t3_plan'] }, gated)
    await run.reject('t3_plan', 'too fine')
    expect(run.of('t4').every(({ status }) => status === 'draft')).toBe(true)
    expect(run.of('t3_mesh').map(({ status, rejectionReason }) => [status, rejectionReason])).toEqual([
      ['pending', 'too fine'],
      ['pending', 'too fine'],
    ])
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })
})

describe('squads that do not agree in time', () => {
  /** Starts the leads of the mesh and fires its timer. */
  async function stall(run: Play): Promise<void> {
    await run.launchAll(await run.runnable())
    const timer = run.timers.find(({ name }) => name === 't3_mesh_timeout')
    if (timer === undefined) throw new Error('the mesh has no timer')
    await run.fire(timer)
  }
  const toMesh = async (team = teamed()): Promise<Play> => {
    const run = await play(wellDone, { stopAt: ['t2_synthesis'] }, team)
    await run.approve('t2_synthesis')
    return run
  }
  const resolve = async (run: Play, output_: unknown): Promise<void> => {
    const [brief] = (await run.runnable()).filter(({ phase }) => phase === 'resolve')
    await run.end(await run.launch(brief as Brief), output(output_))
  }

  it('are not late before a lead has started', async () => {
    const run = await toMesh()
    await run.fire(run.timers[0] as Timer)
    expect(run.timers).toHaveLength(1)
    expect(run.lines.some(({ kind }) => kind === 'mesh_timeout')).toBe(false)
  })

  it('lose their drafts, and their specialist redraws the scopes', async () => {
    const run = await toMesh()
    await stall(run)
    expect(run.lines.find(({ kind }) => kind === 'mesh_timeout')?.message).toBe(
      '2 squad leads did not commit in time: squad api/web, squad api/db',
    )
    expect(run.of('t3_plan').map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(run.pendingGates()).toMatchObject([
      { gate: 't3_mesh_timeout', approver: 't2/api', boundary: 'part:mesh:1:t2:backend' },
    ])
    expect(run.run.status).toBe('running')
    await resolve(run, {
      decision: 'replace',
      squads: [{ id: 'all', name: 'All', scope: 'everything' }],
      reason: 'one is enough',
    })
    expect(run.pendingGates()).toEqual([])
    expect((await run.runnable()).map(({ key }) => key)).toEqual(['t3-plan:api:all-r2'])
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('get different names for any names in the answer', async () => {
    const run = await toMesh()
    await stall(run)
    const long = 'a'.repeat(55)
    const squads = ['a', 'a-r1', `${long}-b`, `${long}-c`].map((id) => ({ id, name: id, scope: id }))
    await resolve(run, { decision: 'replace', squads, reason: 'four' })
    const cut = 'a'.repeat(48)
    expect((await run.runnable()).map(({ key }) => key)).toEqual(
      ['a-r2', 'a-2-r2', `${cut}-r2`, `${cut}-2-r2`].map((name) => `t3-plan:api:${name}`),
    )
    await stall(run)
    await resolve(run, { decision: 'answer', answer: 'agree', reason: 'they can' })
    expect((await run.runnable()).map(({ key }) => key.slice('t3-plan:api:'.length))).toEqual([
      'a-r3',
      'a-2-r3',
      `${cut}-r3`,
      `${cut}-2-r3`,
    ])
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('are escalated to T1 when the specialist’s retry budget is used up, and then to the operator', async () => {
    const run = await toMesh(teamed({ limits: { retryBudget: 1 } }))
    await stall(run)
    await resolve(run, { decision: 'answer', answer: 'agree', reason: 'they can' })
    await stall(run)
    expect(run.escalations().map(({ to }) => to)).toEqual(['t1'])
    await resolve(run, { decision: 'answer', answer: 'agree now', reason: 'they must' })
    await stall(run)
    expect(run.pendingGates()).toMatchObject([{ gate: 'escalation', approver: 'operator' }])
    expect(run.run.status).toBe('gated')
    await run.approve('escalation')
    await playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('end the run when the operator rejects the escalation', async () => {
    const run = await toMesh(teamed({ limits: { retryBudget: 0 } }))
    await stall(run)
    await resolve(run, { decision: 'answer', answer: 'agree', reason: 'x' })
    await stall(run)
    await run.reject('escalation', 'enough')
    expect(run.run).toMatchObject({ status: 'failed', summary: 'abandoned: enough' })
  })

  it('are escalated to T1 when their path has no T2', async () => {
    const run = await Play.start()
    await playOn(run, { streams: [{ id: 'fix', path: medium }], stopAt: ['t1_plan'] })
    await run.approve('t1_plan')
    await stall(run)
    expect(run.pendingGates()).toMatchObject([{ gate: 't3_mesh_timeout', approver: 't1' }])
  })

  it('do not time out while a lead waits for an answer', async () => {
    const run = await toMesh()
    const [first] = (await run.launchAll(await run.runnable())) as [Brief]
    await run.end(first, { kind: 'blocked', reason: 'which database?' })
    await run.fire(run.timers[0] as Timer)
    expect(run.lines.some(({ kind }) => kind === 'mesh_timeout')).toBe(false)
    expect(run.timers).toHaveLength(1)
  })
})

describe('the tasks of several workstreams', () => {
  const three = ['a', 'b', 'c'].map((id) => ({ id, path: medium, group: id }))
  const played = async (count: number, script: Partial<Script> = {}): Promise<Play> => {
    const tasks = Array.from({ length: count }, (_, index) => aTask(`t-${index}`))
    const listed: Otherwise = ({ phase }) => (phase === 't3_plan' ? output({ tasks }) : null)
    return playOn(await Play.start(), { streams: three, otherwise: listed, ...script })
  }
  const gatesOf = ({ gates }: Play): string[] => gates.map(({ gate }) => gate)

  it('start without a question up to the size of a large plan, and wait for approval above it', async () => {
    expect(gatesOf(await played(13))).toEqual(['t1_plan'])
    const waiting = await played(14, { stopAt: ['t3_plan'] })
    expect(waiting.operatorGates()).toMatchObject([{ gate: 't3_plan' }])
  })

  it('are counted from zero after each approval', async () => {
    expect(gatesOf(await played(21))).toEqual(['t1_plan', 't3_plan'])
    expect(gatesOf(await played(41))).toEqual(['t1_plan', 't3_plan', 't3_plan', 't3_plan'])
  })
})
