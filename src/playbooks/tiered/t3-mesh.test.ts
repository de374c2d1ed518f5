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
import { Play } from '../../../test/support/tiered/engine.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import { faultsOfTasks, overlapsOf } from './t4-tasks.ts'

const streams: readonly Stream[] = [{ id: 'api', path: full, domain: 'backend' }]
const two: Otherwise = ({ phase }) => (phase === 't2_specialist' ? output(aProposal('backend', ['web', 'db'])) : null)
const play = (otherwise: Otherwise, script: Partial<Script> = {}, configuration = teamed()): Play =>
  playOn(new Play({ configuration }).start(), { streams, otherwise: either(two, otherwise), ...script })
const squadOf = (brief: Brief): string => (brief.inputs['squad'] as { id: string }).id
const lists =
  (phase: string, by: Readonly<Record<string, unknown>>): Otherwise =>
  (brief) =>
    brief.phase === phase && by[squadOf(brief)] !== undefined ? output({ tasks: by[squadOf(brief)] }) : null
const wellDone: Otherwise = () => null
const corrections = (run: Play, key: string): string[] => run.brief(key).corrections.map(({ detail }) => detail)

describe('a list of tasks is refused', () => {
  it.each([
    ['without tasks', [], 'the list has no tasks'],
    ['with a circle', [aTask('a', { depends_on: ['b'] }), aTask('b', { depends_on: ['a'] })], 'cycle: a→b→a'],
    ['with the same id twice', [aTask('a'), aTask('a')], 'two tasks have the id "a"'],
    ['with a stranger', [aTask('a', { depends_on: ['who'] })], 'task "a" depends on "who", which is not in the list'],
    ['with a path out of the workspace', [aTask('a', { evidence_required: [{ kind: 'file', path: '../x' }] })], 'must be a path inside the workspace'],
    ['with a command as its proof', [{ ...aTask('a'), evidence_required: [{ kind: 'command', run: 'true' }] }], 'must be of kind file, artifact or schema'],
    ['that waits for more than can be kept', Array.from({ length: 401 }, (_, index) => aTask(`t-${index}`, { depends_on: Array.from({ length: 50 }, (__, other) => `t-${other}`) })), 'the list has 20050 entries in depends_on, more than 20000'],
    ['with a task that waits for everybody', [aTask('a', { depends_on: Array.from({ length: 51 }, (_, index) => `t-${index}`) })], 'depends_on'],
  ])('%s', (_, tasks, fault) => {
    const run = playOn(new Play().start(), {
      streams: [{ id: 'fix', path: medium }],
      otherwise: inTurn(({ phase }) => phase === 't3_plan', output({ tasks })),
    })
    expect(run.brief('t3-plan:fix:main')).toMatchObject({ attempts: 2, retriesUsed: 1 })
    expect(corrections(run, 't3-plan:fix:main').join('\n')).toContain(fault)
    expect(run.run.status).toBe('done')
  }) // prettier-ignore
})

it('looks for circles in the longest chain there may be without losing time', () => {
  const begun = performance.now()
  const chain = Array.from({ length: 20_000 }, (_, index) =>
    aTask(`t-${index}`, { depends_on: index === 19_999 ? [] : [`t-${index + 1}`] }),
  )
  expect(faultsOfTasks(chain)).toEqual([])
  expect(performance.now() - begun).toBeLessThan(2_000)
})

it('commits at once where there is one squad, and releases nothing before', () => {
  const run = playOn(new Play().start(), { streams: [{ id: 'fix', path: medium }] })
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

  it('see each other’s drafts and what both claim', () => {
    const run = play(lists('t3_plan', overlap), { stopAt: ['t5_verdict'] })
    expect(run.brief('t3-mesh:api:web').inputs).toMatchObject({
      peers: { 'api/db': [{ id: 'store' }] },
      overlaps: [{ task: 'login', what: 'src/auth.ts', with: 'api/db', their: 'store' }],
    })
  })

  it('who claim the same with every task read of it once for each task, and how much more there is', () => {
    const all = (prefix: string) =>
      Array.from({ length: 2_000 }, (_, index) => aTask(`${prefix}-${index}`, { scope: 'auth', files: [] }))
    const { shown, more, claimed } = overlapsOf(all('a'), new Map([['api/db', all('b')]]))
    expect(shown).toHaveLength(200)
    expect(shown[1]).toEqual({ task: 'a-1', what: 'auth', with: 'api/db', their: 'b-0' })
    expect(more).toBe(1_800)
    expect([...claimed.keys()]).toEqual(['scope auth'])

    const many = (prefix: string) => all(prefix).slice(0, 201)
    const run = play(lists('t3_plan', { web: many('a'), db: many('b') }), { stopAt: ['t5_verdict'] })
    expect(run.brief('t3-mesh:api:web').inputs).toMatchObject({ more_overlaps: 1 })
    expect(run.brief('t3-mesh:api:db').inputs['overlaps']).toHaveLength(200)
  })

  it('are refused what a peer has committed already, until they release it', () => {
    const first = inTurn(
      ({ phase }) => phase === 't3_mesh',
      output({ tasks: overlap.web }),
      output({ tasks: overlap.db }),
    )
    const run = play(either(lists('t3_plan', overlap), first, lists('t3_mesh', { db: [aTask('store')] })))
    expect(corrections(run, 't3-mesh:api:db')).toEqual(['overlap: src/auth.ts with t3/web'])
    expect(run.run.status).toBe('done')
  })

  it('who overlap for ever are settled by whoever stands above them', () => {
    const run = play(either(lists('t3_plan', overlap), stubborn))
    expect(run.lines.filter(({ kind }) => kind === 'escalated').map(({ data }) => data['to'])).toEqual([
      't2/api',
      't2/lead',
      't1',
      'operator',
    ])
    expect(run.questions).toMatchObject([{ brief: run.brief('t3-mesh:api:db').id }])
  })

  it('revise, add and drop their drafts; one who drops all of them is done', () => {
    const run = play(
      either(
        lists('t3_plan', overlap),
        lists('t3_mesh', { web: [aTask('page', { title: 'Another page' }), aTask('more')], db: [] }),
      ),
    )
    expect(run.of('t4').map(({ key, title, status }) => [key, title, status])).toEqual([
      ['t4:api:web:page', 'Another page', 'verified'],
      ['t4:api:web:login', 'Make login', 'cancelled'],
      ['t4:api:db:store', 'Make store', 'cancelled'],
      ['t4:api:web:more', 'Make more', 'verified'],
    ])
    expect(run.run.status).toBe('done')
  })

  it('start nobody before all of them have committed', () => {
    const run = new Play({ configuration: teamed() }).start()
    playOn(run, {
      streams,
      otherwise: either(two, lists('t3_plan', { web: [aTask('page')], db: [aTask('store')] })),
      stopAt: ['t2_synthesis'],
    })
    run.approve('t2_synthesis')
    for (const brief of run.runnable()) run.launch(brief)
    for (const brief of run.live()) run.end(brief, output({ tasks: [aTask(squadOf(brief))] }))
    const [first, second] = run.runnable().map((brief) => run.launch(brief)) as [Brief, Brief]
    run.end(first, output({ tasks: first.inputs['tasks'] }))
    expect(run.of('t4').map(({ status }) => status)).toEqual(['committed', 'draft'])
    run.end(second, output({ tasks: second.inputs['tasks'] }))
    expect(run.of('t4').map(({ status }) => status)).toEqual(['pending', 'pending'])
  })
})

describe('the gate before tasks start', () => {
  const gated = teamed({ gates: { t3Plan: true } })

  it('shows the tasks and holds them', () => {
    const run = play(wellDone, { stopAt: ['t3_plan'] }, gated)
    expect(run.pendingGates()[0]?.summary.produced).toContain('4 tasks of 2 squads (api/web, api/db):')
    expect(run.of('t4').every(({ status }) => status === 'committed')).toBe(true)
  })

  it('sends the list back to its authors, open again', () => {
    const run = play(wellDone, { stopAt: ['t3_plan'] }, gated)
    run.reject('t3_plan', 'too fine')
    expect(run.of('t4').every(({ status }) => status === 'draft')).toBe(true)
    expect(run.of('t3_mesh').map(({ status, rejectionReason }) => [status, rejectionReason])).toEqual([
      ['pending', 'too fine'],
      ['pending', 'too fine'],
    ])
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })
})

describe('squads that do not agree in time', () => {
  /** Goes on to the mesh, lets its leads begin and the time come. */
  function stall(run: Play): void {
    for (const brief of run.runnable()) run.launch(brief)
    const timer = run.timers.find(({ name }) => name === 't3_mesh_timeout')
    if (timer === undefined) throw new Error('nobody watches the time')
    run.fire(timer)
  }
  const toMesh = (configuration = teamed()): Play => {
    const run = play(wellDone, { stopAt: ['t2_synthesis'] }, configuration)
    run.approve('t2_synthesis')
    return run
  }
  const resolve = (run: Play, output_: unknown): void => {
    const [brief] = run.runnable().filter(({ phase }) => phase === 'resolve')
    run.end(run.launch(brief as Brief), output(output_))
  }

  it('are not late before anybody has begun', () => {
    const run = toMesh()
    run.fire(run.timers[0] as never)
    expect(run.timers).toHaveLength(1)
    expect(run.lines.some(({ kind }) => kind === 'mesh_timeout')).toBe(false)
  })

  it('lose their drafts, and their architect draws the borders anew', () => {
    const run = toMesh()
    stall(run)
    expect(run.lines.find(({ kind }) => kind === 'mesh_timeout')?.message).toBe(
      '2 squad leads did not commit in time: squad api/web, squad api/db',
    )
    expect(run.of('t3_plan').map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(run.pendingGates()).toMatchObject([
      { gate: 't3_mesh_timeout', approver: 't2/api', boundary: 'part:mesh:1:t2:backend' },
    ])
    expect(run.run.status).toBe('running')
    resolve(run, {
      decision: 'replace',
      squads: [{ id: 'all', name: 'All', scope: 'everything' }],
      reason: 'one is enough',
    })
    expect(run.pendingGates()).toEqual([])
    expect(run.runnable().map(({ key }) => key)).toEqual(['t3-plan:api:all-r2'])
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('are never called as another, whatever they were called', () => {
    const run = toMesh()
    stall(run)
    const long = 'a'.repeat(55)
    const squads = ['a', 'a-r1', `${long}-b`, `${long}-c`].map((id) => ({ id, name: id, scope: id }))
    resolve(run, { decision: 'replace', squads, reason: 'four' })
    const cut = 'a'.repeat(48)
    expect(run.runnable().map(({ key }) => key)).toEqual(
      ['a-r2', 'a-2-r2', `${cut}-r2`, `${cut}-2-r2`].map((name) => `t3-plan:api:${name}`),
    )
    stall(run)
    resolve(run, { decision: 'answer', answer: 'agree', reason: 'they can' })
    expect(run.runnable().map(({ key }) => key.slice('t3-plan:api:'.length))).toEqual([
      'a-r3',
      'a-2-r3',
      `${cut}-r3`,
      `${cut}-2-r3`,
    ])
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('go to T1 when the architect’s patience is used up, and then to the operator', () => {
    const run = toMesh(teamed({ limits: { retryBudget: 1 } }))
    stall(run)
    resolve(run, { decision: 'answer', answer: 'agree', reason: 'they can' })
    stall(run)
    expect(run.lines.filter(({ kind }) => kind === 'escalated').map(({ data }) => data['to'])).toEqual(['t1'])
    resolve(run, { decision: 'answer', answer: 'agree now', reason: 'they must' })
    stall(run)
    expect(run.pendingGates()).toMatchObject([{ gate: 'escalation', approver: 'operator' }])
    expect(run.run.status).toBe('gated')
    run.approve('escalation')
    playOn(run, { streams })
    expect(run.run.status).toBe('done')
  })

  it('end the run when the operator gives it up', () => {
    const run = toMesh(teamed({ limits: { retryBudget: 0 } }))
    stall(run)
    resolve(run, { decision: 'answer', answer: 'agree', reason: 'x' })
    stall(run)
    run.reject('escalation', 'enough')
    expect(run.run).toMatchObject({ status: 'failed', summary: 'given up: enough' })
  })

  it('are drawn anew by T1 where there is no architect', () => {
    const run = new Play().start()
    playOn(run, { streams: [{ id: 'fix', path: medium }], stopAt: ['t1_plan'] })
    run.approve('t1_plan')
    stall(run)
    expect(run.pendingGates()).toMatchObject([{ gate: 't3_mesh_timeout', approver: 't1' }])
  })

  it('are left alone while they wait for an answer', () => {
    const run = toMesh()
    const [first] = run.runnable().map((brief) => run.launch(brief)) as [Brief]
    run.end(first, { kind: 'blocked', reason: 'which database?' })
    run.fire(run.timers[0] as never)
    expect(run.lines.some(({ kind }) => kind === 'mesh_timeout')).toBe(false)
    expect(run.timers).toHaveLength(1)
  })
})
