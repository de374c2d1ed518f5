import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import { wording } from '../../playbooks/tiered/wording.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { changeParts } from '../parts/moves.ts'
import { updated } from '../../events/change.ts'
import type { Attempt } from '../attempts/contract.ts'
import { type Brief, tiers } from '../briefs/contract.ts'
import { briefs } from '../briefs/store.ts'
import type { Part } from '../parts/contract.ts'
import type { Run } from '../runs/contract.ts'
import { AmendPath } from './contract.ts'
import { amendedPath } from './path.ts'
import { touchRun } from '../runs/moves.ts'

/** The direct playbook with the names of workstreams, so that a run can have some without five tiers. */
const divided: Playbook = { ...direct, wording }

const hang = { scenario: { steps: [{ hang: {} }] } }

/** Starts a run with two workstreams, one of which is done. */
async function withWorkstreams(agency: TestAgency): Promise<Run> {
  const run = await agency.run({ runtimeOptions: hang })
  const part = (key: string, status: Part['status'], path: string[]) => ({ key, parent: null, status, data: { path } })
  await changeRun(agency, run, (scope) =>
    changeParts(scope, [part('ws:api', 'open', ['t3', 't4', 't5']), part('ws:docs', 'done', ['t4', 't5'])], {
      message: 'under way',
    }),
  )
  return run
}

/** Moves the running attempt's brief into a tier. */
async function place(agency: TestAgency, run: Run, where: Partial<Brief>): Promise<Attempt> {
  const attempt = await agency.until(async () =>
    (await agency.inspect(run)).attempts.find(({ status }) => status === 'running'),
  )
  const brief = await agency.brief(run)
  await changeRun(agency, run, (scope) =>
    touchRun(scope, {}, { kind: 'log', message: 'placed' }, [updated(briefs, brief, where)]),
  )
  return attempt
}

const amend = (agency: TestAgency, { id }: Run, change: Partial<AmendPath>, by = operator as never) =>
  agency.amendments.amend(
    by,
    AmendPath.parse({ runId: id, workstream: 'api', reason: 'Two services meet here', ...change }),
  )

describeStores('an amendment', (openFresh) => {
  it('records its author, its reason and both paths, and needs no approval', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const run = await withWorkstreams(agency)
    const amendment = await amend(agency, run, { addTiers: ['t2'], insertBefore: 't3' })
    expect(amendment).toMatchObject({
      kind: 'path',
      proposedBy: 'operator',
      reason: 'Two services meet here',
      workstream: 'api',
      beforePath: ['t3', 't4', 't5'],
      afterPath: ['t2', 't3', 't4', 't5'],
      acknowledgedBy: null,
    })
    expect((await agency.inspect(run)).amendments).toEqual([amendment])
    expect((await agency.events(run)).find(({ kind }) => kind === 'path_amendment')).toMatchObject({
      kind: 'path_amendment',
      code: 'AMEND',
      tier: 'T1',
      workstream: 'api',
      level: 'normal',
      data: { before: ['t3', 't4', 't5'], after: ['t2', 't3', 't4', 't5'], proposed_by: 'operator' },
    })
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running' })
    await agency.runs.cancel(operator, run.id, undefined)
    await expect(amend(agency, run, { removeTiers: ['t3'] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `run ${run.id} is cancelled: its paths can no longer change`,
    })
  })

  it('is refused for a missing or completed workstream', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const run = await withWorkstreams(agency)
    await expect(amend(agency, run, { workstream: 'web', addTiers: ['t2'] })).rejects.toMatchObject({
      code: 'not_found',
      message: 'no workstream "web"',
      hint: 'There are: api, docs.',
    })
    await expect(amend(agency, run, { workstream: 'docs', addTiers: ['t2'] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 'workstream docs is done: its path can no longer change',
    })
    const undivided = await startAgency(openFresh)
    const plain = await undivided.run({ runtimeOptions: hang })
    await expect(amend(undivided, plain, { addTiers: ['t2'] })).rejects.toMatchObject({
      message: `run ${plain.id} has no workstreams at all`,
    })
    expect((await agency.inspect(run)).amendments).toEqual([])
    await agency.runs.cancel(operator, run.id, undefined)
    await undivided.runs.cancel(operator, plain.id, undefined)
  })

  it('is refused once the work, or the tier concerned, has started', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const run = await withWorkstreams(agency)
    await place(agency, run, { tier: 't3', workstream: 'api' })
    await expect(amend(agency, run, { removeTiers: ['t3'] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 't3 of api has already started',
    })
    await place(agency, run, { tier: 't4' })
    await expect(amend(agency, run, { addTiers: ['t2'] })).rejects.toMatchObject({
      message: 't4 of api has already started',
    })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is accepted from an agent for its own run and tier while its attempt is live', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const [run, other] = [await withWorkstreams(agency), await withWorkstreams(agency)]
    const attempt = await place(agency, run, { tier: 't3', workstream: 'api' })
    const agent = agentOf(attempt) as never
    expect(await amend(agency, run, { addTiers: ['t2'] }, agent)).toMatchObject({ proposedBy: 't3/api' })
    expect((await agency.events(run)).find(({ kind }) => kind === 'path_amendment')).toMatchObject({ tier: 'T3' })
    await expect(amend(agency, other, { addTiers: ['t2'] }, agent)).rejects.toMatchObject({ code: 'not_found' })
    for (const each of [run, other]) await agency.runs.cancel(operator, each.id, undefined)
    await expect(amend(agency, run, { addTiers: ['t2'] }, agent)).rejects.toMatchObject({ code: 'stale_fence' })
  })
})

describe('the path after an amendment', () => {
  const change = { addTiers: [], removeTiers: [] }

  it('follows the order of the tiers, independent of the input order', () => {
    expect(amendedPath(['t4', 't5'], { ...change, addTiers: ['t3', 't2'] })).toEqual(['t2', 't3', 't4', 't5'])
    expect(amendedPath(['t2', 't3', 't4', 't5'], { ...change, removeTiers: ['t2'] })).toEqual(['t3', 't4', 't5'])
    expect(amendedPath(['t3', 't4', 't5'], { addTiers: ['t2'], removeTiers: ['t3'] })).toEqual(['t2', 't4', 't5'])
  })

  it.each([
    [{ addTiers: ['t1'] }, 't1 stands above every path'],
    [{ addTiers: ['t3'] }, 't3 is on the path already'],
    [{ removeTiers: ['t2'] }, 't2 is not on the path'],
    [{ addTiers: ['t2'], insertBefore: 't2' }, 't2 does not come before t2'],
    [{ addTiers: ['t2'], removeTiers: ['t2'] }, 't2 is added and removed'],
    [{}, 'nothing would change: add tiers, or remove some'],
  ] as const)('is refused for %j', (wrong, message) => {
    expect(() => amendedPath(['t3', 't4', 't5'], { ...change, ...(wrong as object) })).toThrow(message)
  })

  it('always ends with work and its verification', () => {
    const some = fc.subarray([...tiers])
    fc.assert(
      fc.property(fc.subarray(['t2', 't3']), some, some, (head, addTiers, removeTiers) => {
        const parsed = AmendPath.safeParse({ runId: 'x', workstream: 'x', reason: 'x', addTiers, removeTiers })
        if (removeTiers.includes('t4') || removeTiers.includes('t5')) {
          expect(parsed.error?.issues[0]?.message).toMatch(/^t[45] is mandatory$/)
          return
        }
        if (!parsed.success) throw parsed.error
        try {
          const path = amendedPath([...head, 't4', 't5'], parsed.data)
          expect(path.slice(-2)).toEqual(['t4', 't5'])
          expect(path).toEqual(path.toSorted())
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_input' })
        }
      }),
    )
  })
})
