import { expect, it } from 'vitest'

import { startAgency, type TestAgency, work } from '../../../../test/support/agency.ts'
import { describeStores } from '../../../../test/support/store.ts'
import { operator } from '../../../../test/support/work.ts'
import type { StepInput } from '../../../adapters/runtime/scripted/contract.ts'
import { inserted, record } from '../../../events/change.ts'
import { replayEvents } from '../../../events/replay.ts'
import type { Playbook } from '../../../playbooks/contract.ts'
import { direct } from '../../../playbooks/direct/decide.ts'
import { eventTables } from '../../../tables.ts'
import type { Run } from '../../runs/contract.ts'
import { type Amendment, AmendPlan } from '../contract.ts'
import { amendments } from '../store.ts'

const amend = (agency: TestAgency, { id }: Run, change: object) =>
  agency.amendments.amendPlan(operator, AmendPlan.parse({ runId: id, reason: 'Another idea', ...change }))

/** Lists the keys that a brief waits for, met or unmet. */
async function waitsFor(agency: TestAgency, run: Run, key: string): Promise<string[]> {
  const { briefs, dependencies } = await agency.inspect(run)
  const keyOf = (id: string) => briefs.find((brief) => brief.id === id)?.key ?? ''
  return dependencies.flatMap(({ briefId, afterId }) => (keyOf(briefId) === key ? [keyOf(afterId)] : [])).sort()
}

const waiting: readonly StepInput[] = [{ log: 'gate go' }, ...work]

describeStores('the plan of a run', (openFresh) => {
  it('counts a brief that was split as one, and changed briefs wait for its remainder too', async () => {
    const agency = await startAgency(openFresh)
    const part: readonly StepInput[] = [
      { write: { path: 'a.md', text: 'a\n' } },
      { report: { status: 'partial', summary: 'One file.', outputs: ['a.md'], remaining: 'Write b.md' } },
    ]
    const evidence = ['a.md', 'b.md'].map((path) => ({ kind: 'file', path }))
    const briefs = [
      { key: 'river', objective: 'Both files', evidence },
      { key: 'sea', objective: 'Write about the sea', after: ['river'] },
      { key: 'booklet', objective: 'Bind them', after: ['sea'] },
    ]
    const run = await agency.run({ briefs, play: [part, [{ hang: {} }]] } as never)
    await agency.until(async () => (await agency.inspect(run)).briefs.some(({ key }) => key === 'river:rest:1'))
    await agency.until(async () => (await agency.brief(run, 'river')).status === 'done')
    await amend(agency, run, {
      plan: `
briefs:
  - { id: river, objective: Both files, evidence: [{ kind: file, path: a.md }, { kind: file, path: b.md }] }
  - { id: sea, objective: Write about the sea, after: river }
  - { id: booklet, objective: Bind them, after: [river, sea] }
  - { id: lake, objective: Write about lakes, after: river }
`,
    })
    expect((await agency.inspect(run)).amendments).toMatchObject([{ touched: ['lake', 'booklet'] }])
    expect(await waitsFor(agency, run, 'booklet')).toEqual(['river', 'river:rest:1', 'sea'])
    expect(await waitsFor(agency, run, 'lake')).toEqual(['river', 'river:rest:1'])
    expect(await agency.brief(run, 'lake')).toMatchObject({ unmetDependencies: 1 })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('does not exist until its planner has written it, and can be amended afterwards', async () => {
    const agency = await startAgency(openFresh)
    const plan = [
      { key: 'river', objective: 'Write about rivers' },
      { key: 'sea', objective: 'Write about the sea', after: ['river'] },
    ]
    const scenario = {
      attempts: [waiting],
      plan: [
        [{ log: 'gate plan' }, { report: { status: 'done', summary: 'Two parts.', plan, via: 'stdout' } }],
      ] as StepInput[][],
    }
    const run = await agency.run({ planner: true, runtimeOptions: { scenario } } as never)
    await agency.gate('plan').reached
    await expect(amend(agency, run, { add: [{ key: 'lake', objective: 'x' }] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `run ${run.id} has no plan yet`,
    })
    agency.gate('plan').open()
    await agency.gate('go').reached
    await amend(agency, run, { remove: ['sea'], add: [{ key: 'lake', objective: 'Write about lakes' }] })
    agency.gate('go').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
  })

  it('keeps done and failed briefs, and no brief can start to wait for a failed one', async () => {
    const agency = await startAgency(openFresh)
    const playing = (play: readonly StepInput[]) => ({ runtimeOptions: { scenario: { attempts: [play] } } })
    const briefs = [
      { key: 'brook', objective: 'Write about brooks', ...playing(work) },
      { key: 'sky', objective: 'Write about the sky', after: ['brook'], ...playing(waiting) },
      {
        key: 'river',
        objective: 'Write about rivers',
        evidence: [{ kind: 'file', path: 'x.md' }],
        ...playing([{ log: 'gate river' }, ...work]),
      },
      { key: 'sea', objective: 'Write about the sea', after: ['river'], ...playing(work) },
    ]
    const run = await agency.run({ briefs, onLimit: 'fail', retryBudget: 0 } as never)
    // No brief starts after a failure, so that the sky must be at work before it.
    await agency.gate('go').reached
    agency.gate('river').open()
    await agency.until(async () => (await agency.brief(run, 'river')).status === 'failed')
    expect(await agency.brief(run, 'sea')).toMatchObject({
      heldBy: expect.stringMatching(/^dependency_failed/) as never,
    })
    await expect(
      amend(agency, run, { add: [{ key: 'lake', objective: 'x', after: ['river'] }] }),
    ).rejects.toMatchObject({ message: 'brief "lake" would wait for "river", which has failed' })
    await expect(amend(agency, run, { remove: ['brook', 'river'] })).rejects.toMatchObject({
      message: 'these briefs have begun and cannot be changed: brook (done), river (failed)',
    })
    await amend(agency, run, { change: [{ key: 'sea', after: ['brook'] }] })
    expect(await agency.brief(run, 'sea')).toMatchObject({ unmetDependencies: 0, holdCount: 0 })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('has a diff that is cut if its briefs are very long', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    const context = 'A line.\n'.repeat(24_000)
    const add = ['a', 'b'].map((key) => ({ key, objective: 'Read it', context, after: ['main'] }))
    const { diff } = await amend(agency, run, { add })
    expect(diff).toMatch(/^--- plan, version 1\n\+\+\+ plan, version 2\n@@ a @@\n\+key: a\n/)
    expect(diff).toMatch(/… \d+ more characters$/)
    expect(diff?.length).toBeLessThan(101_000)
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is left as it was if the amendment fails in its middle', async () => {
    const broken: Playbook = {
      ...direct,
      decide: (view, event) => {
        if (event.kind === 'brief_cancelled') throw new Error('the playbook is broken')
        return direct.decide(view, event)
      },
    }
    const agency = await startAgency(openFresh, { playbooks: [broken] })
    const briefs = [
      { key: 'river', objective: 'Write about rivers' },
      { key: 'sea', objective: 'Write about the sea', after: ['river'] },
      { key: 'booklet', objective: 'Bind them', after: ['river'] },
    ]
    const run = await agency.run({ briefs, play: [[{ hang: {} }]] } as never)
    await agency.until(async () => (await agency.brief(run, 'river')).status === 'working')
    const change = {
      add: [{ key: 'lake', objective: 'Write about lakes', after: ['river'] }],
      change: [{ key: 'sea', objective: 'Write about the ocean', after: [] }],
    }
    await expect(amend(agency, run, { ...change, remove: ['booklet'] })).rejects.toThrow('the playbook is broken')
    const after = await agency.inspect(run)
    expect(after.briefs.map(({ key, objective }) => [key, objective])).toEqual(
      briefs.map(({ key, objective }) => [key, objective]),
    )
    expect([after.amendments, after.artifacts]).toEqual([[], []])
    expect(await waitsFor(agency, run, 'sea')).toEqual(['river'])
    expect(await amend(agency, run, change)).toMatchObject({ version: 2 })
    await agency.runs.cancel(operator, run.id, undefined)
  })
})

describeStores('an amendment of an earlier release', (openFresh) => {
  it('has no version, no changes and no touched briefs, and its event still gives its row', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    const earlier = {
      id: 'amd_1',
      runId: run.id,
      kind: 'path',
      proposedBy: 'operator',
      reason: 'x',
      workstream: 'api',
      beforePath: ['t4'],
      afterPath: ['t3', 't4'],
      acknowledgedBy: null,
      at: run.startedAt,
    }
    await agency.db.write([`run:${run.id}`], (tx) =>
      record(tx, { kind: 'path_amendment', by: 'operator', runId: run.id, message: 'x', data: {} }, [
        inserted(amendments, earlier as never as Amendment),
      ]),
    )
    expect((await agency.inspect(run)).amendments).toEqual([
      { ...earlier, status: 'applied', gateId: null, version: null, changes: null, touched: [], diff: null },
    ])
    expect((await replayEvents(agency.db, eventTables)).differences).toEqual([])
    await agency.runs.cancel(operator, run.id, undefined)
  })
})
