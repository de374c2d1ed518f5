import { expect, it } from 'vitest'

import { agentOf, openAgency, startAgency, work } from '../../../test/support/agency.ts'
import { slowCommands } from '../../../test/support/slow-commands.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { briefStatuses } from './states.ts'

const brief = (key: string, after: string[] = []) => ({ key, objective: `Do ${key}`, after })

describeStores('the operator', (openFresh) => {
  it('can cancel a brief without a running agent, and cannot move it to any other status', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const run = await agency.run({ briefs: [brief('a'), brief('b')] })
    const { id } = await agency.brief(run, 'a')
    const engines = ['assigned', 'failed', 'ready_for_verification', 'blocked'] as const
    for (const to of briefStatuses.filter((status) => ![...engines, 'cancelled'].some((each) => each === status)))
      await expect(agency.briefs.update(operator, id, to, undefined)).rejects.toMatchObject({
        code: 'illegal_transition',
        message: `a brief cannot go from pending to ${to}`,
      })
    for (const to of engines)
      await expect(agency.briefs.update(operator, id, to, undefined)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await agency.briefs.update(operator, id, 'cancelled', 'not needed')).toMatchObject({ status: 'cancelled' })
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running', briefsOpen: 1, briefsFailed: 0 })
    expect((await agency.events(run)).at(-1)).toMatchObject({
      kind: 'brief_cancelled',
      by: 'operator',
      message: 'a cancelled: not needed',
      data: { from: 'pending', to: 'cancelled' },
    })
    await expect(agency.briefs.update(operator, id, 'cancelled', undefined)).rejects.toMatchObject({
      code: 'illegal_transition',
    })
  })

  it('sees a brief with its goal, dependencies and artifacts, and cannot change the goal', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ goal: 'A poem', briefs: [brief('a'), brief('b', ['a'])] })
    await agency.settled(run)
    const { id: first } = await agency.brief(run, 'a')
    const { id, evidence } = await agency.brief(run, 'b')
    expect(await agency.briefs.show(operator, id)).toMatchObject({
      goalAnchor: 'A poem',
      ownerBriefId: null,
      agentPersonality: null,
      dependsOn: [first],
      evidenceRequired: evidence,
      amendments: [],
    })
    expect((await agency.briefs.show(operator, first)).outputs).toEqual(['result.md'])
    await expect(agency.briefs.update(operator, id, undefined, undefined, 'A novel')).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `the goal of run ${run.id} cannot be changed`,
    })
    expect(await agency.briefs.update(operator, id, undefined, undefined, 'A poem')).toMatchObject({ status: 'done' })
    expect(await agency.runs.show(run.id)).toMatchObject({ goalAnchor: 'A poem' })
  })

  it('lets a brief continue after its last retry, with the corrections of the failure', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      onLimit: 'ask',
      retryBudget: 0,
      evidence: [{ kind: 'file', path: 'poem.txt' }],
      play: [[{ report: {} }], [{ write: { path: 'poem.txt', text: 'a river' } }, { report: {} }]],
    })
    const asked = await agency.until(async () =>
      (await agency.inspect(run)).questions.find((each) => each.answeredAt === null),
    )
    await agency.questions.answer(operator, asked.id, 'retry')
    await agency.settled(run)
    expect(await agency.brief(run)).toMatchObject({
      status: 'done',
      attempts: 2,
      corrections: [{ evidence: expect.stringContaining('poem.txt'), detail: expect.stringContaining('missing') }],
    })
  })

  it('cannot cancel a brief while an agent works on it', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    await agency.passed('attempt.started')
    const { id } = await agency.brief(run)
    await expect(agency.briefs.update(operator, id, 'cancelled', undefined)).rejects.toMatchObject({
      code: 'conflict',
      message: 'an agent is working on main',
      hint: `Stop the whole run with "agency cancel ${run.id}".`,
    })
    expect(await agency.briefs.show(operator, id)).toMatchObject({ status: 'working' })
  })

  it('ends the check of finished work by cancelling its brief', async () => {
    const slow = slowCommands()
    const agency = await startAgency(openFresh, { workspaces: slow.workspaces })
    const run = await agency.run({ evidence: [{ kind: 'command', run: 'npm test' }] })
    await slow.begun
    await agency.briefs.update(operator, (await agency.brief(run)).id, 'cancelled', undefined)
    expect(slow.running()).toBe(0)
    await agency.engine.idle()
    expect((await agency.inspect(run)).attempts).toMatchObject([{ status: 'ended', outcome: 'interrupted' }])
  })

  it('cannot cancel briefs of a run that was given up, because it would continue', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      briefs: [
        { ...brief('a'), runtimeOptions: { scenario: { steps: [{ exit: { code: 0 } }] } } },
        { ...brief('b'), runtimeOptions: { scenario: { steps: [{ hang: {} }] } } },
      ],
      retryBudget: 0,
      onLimit: 'ask',
    })
    const question = await agency.until(async () => (await agency.inspect(run)).questions[0])
    await agency.questions.answer(operator, question.id, 'abandon')
    const { id } = await agency.brief(run, 'a')
    await expect(agency.briefs.update(operator, id, 'cancelled', 'not needed')).rejects.toMatchObject({
      code: 'conflict',
      message: `run ${run.id} was given up: it fails when its agents have ended`,
      hint: `End its agents now with "agency cancel ${run.id}".`,
    })
    expect(await agency.briefs.show(operator, id)).toMatchObject({ status: 'failed' })
  })

  it('ends a run by cancelling the last of its briefs', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const run = await agency.run({ briefs: [brief('a'), brief('b')] })
    for (const key of ['a', 'b'])
      await agency.briefs.update(operator, (await agency.brief(run, key)).id, 'cancelled', undefined)
    expect(await agency.settled(run)).toMatchObject({ status: 'cancelled', summary: 'every brief was cancelled' })
    expect(await agency.missions.show(run.missionId)).toMatchObject({ status: 'cancelled' })
  })

  it('completes a run by cancelling its remaining briefs', async () => {
    const agency = await startAgency(openFresh, { slots: 1 })
    const run = await agency.run({
      briefs: [
        brief('a'),
        { ...brief('b', ['a']), runtimeOptions: { scenario: { steps: [{ hang: {} }] } } },
        brief('c', ['b']),
      ],
    })
    await agency.until(async () => (await agency.brief(run, 'b')).status === 'working')
    await agency.engine.stop()
    const [c, b] = [await agency.brief(run, 'c'), await agency.brief(run, 'b')]
    await agency.briefs.update(operator, b.id, 'cancelled', undefined)
    // The dependent names the brief that it can no longer wait for.
    expect(await agency.briefs.show(operator, c.id)).toMatchObject({ heldBy: `dependency_failed:${b.id}` })
    await agency.briefs.update(operator, c.id, 'cancelled', undefined)
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 1, briefsOpen: 0 })
  })

  it('finds a brief held by a cancelled dependency although another one failed and was retried', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const failing = { ...brief('b'), runtimeOptions: { scenario: { attempts: [[{ crash: {} }], work] } } }
    const run = await agency.run({
      onLimit: 'ask',
      crashRetries: 0,
      briefs: [brief('a'), failing, brief('c', ['a', 'b'])],
    })
    const a = await agency.brief(run, 'a')
    await agency.briefs.update(operator, a.id, 'cancelled', undefined)
    await agency.engine.start()
    const question = await agency.until(async () => (await agency.inspect(run)).questions[0])
    await agency.questions.answer(operator, question.id, 'retry')
    await agency.until(async () => (await agency.brief(run, 'b')).status === 'done')
    expect(await agency.brief(run, 'c')).toMatchObject({ status: 'pending', heldBy: `dependency_failed:${a.id}` })
  })

  it('lists briefs by their state', async () => {
    const agency = await startAgency(openFresh)
    const failed = await agency.settled(await agency.run({ play: [[{ crash: {} }]], crashRetries: 0 }))
    await agency.settled(await agency.run())
    const list = await agency.briefs.list('failed', 10)
    expect(list.briefs).toMatchObject([{ runId: failed.id, failure: 'killed by SIGSEGV (after 0 of 0 retries)' }])
    await expect(agency.briefs.show(operator, 'brf_nothing')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describeStores('an agent', (openFresh) => {
  it('sees the briefs of its own run and no others', async () => {
    const agency = await startAgency(openFresh)
    const mine = await agency.run({ play: [[{ hang: {} }]] })
    const other = await agency.run({ play: [[{ hang: {} }]] })
    await agency.passed('attempt.started', 2)
    const [attempt] = (await agency.inspect(mine)).attempts
    const by = agentOf(attempt as never)
    expect(await agency.briefs.show(by, (await agency.brief(mine)).id)).toMatchObject({ runId: mine.id })
    await expect(agency.briefs.show(by, (await agency.brief(other)).id)).rejects.toMatchObject({ code: 'not_found' })
  })
})
