import { expect, it } from 'vitest'

import { agentOf, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import { branches } from '../../playbooks/tiered/branches.ts'
import { describe } from '../../playbooks/tiered/describe.ts'
import { paths } from '../../playbooks/tiered/paths.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import { changeParts } from '../parts/moves.ts'
import { updated } from '../../events/change.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import { briefs } from '../briefs/store.ts'
import type { Part } from '../parts/contract.ts'
import type { Run } from '../runs/contract.ts'
import { AmendPath } from './contract.ts'
import { touchRun } from '../runs/moves.ts'

/** The direct playbook with the names of workstreams, so that a run can have some without five tiers. */
const divided: Playbook = {
  ...direct,
  branches,
  paths,
  describe: (brief) => (brief.capKey === null ? { name: brief.key, tags: {} } : describe(brief)),
}

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

const placed = (tier: string, workstream = 'api'): Partial<Brief> => ({
  capKey: tier,
  groupKey: workstream,
  data: { tier, workstream, label: null, files: [] },
})

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
    await place(agency, run, placed('t3'))
    await expect(amend(agency, run, { removeTiers: ['t3'] })).rejects.toMatchObject({
      code: 'illegal_transition',
      message: 't3 of api has already started',
    })
    await place(agency, run, placed('t4'))
    await expect(amend(agency, run, { addTiers: ['t2'] })).rejects.toMatchObject({
      message: 't4 of api has already started',
    })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('is accepted from an agent for its own run and tier while its attempt is live', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const [run, other] = [await withWorkstreams(agency), await withWorkstreams(agency)]
    const attempt = await place(agency, run, placed('t3'))
    const agent = agentOf(attempt) as never
    expect(await amend(agency, run, { addTiers: ['t2'] }, agent)).toMatchObject({ proposedBy: 't3/api' })
    expect((await agency.events(run)).find(({ kind }) => kind === 'path_amendment')).toMatchObject({ tier: 'T3' })
    await expect(amend(agency, other, { addTiers: ['t2'] }, agent)).rejects.toMatchObject({ code: 'not_found' })
    for (const each of [run, other]) await agency.runs.cancel(operator, each.id, undefined)
    await expect(amend(agency, run, { addTiers: ['t2'] }, agent)).rejects.toMatchObject({ code: 'stale_fence' })
  })
})

describeStores('an agent', (openFresh) => {
  const proposal = async (agency: TestAgency, run: Run) =>
    (await agency.inspect(run)).gates.find(({ gate, status }) => gate === 'amendment' && status === 'pending')

  it.each([
    ['removes a tier of its own workstream', placed('t3'), { removeTiers: ['t3'] }, 't3/api', ['t4', 't5']],
    [
      'replaces a tier by another one',
      placed('t2'),
      { addTiers: ['t2'], removeTiers: ['t3'] },
      't2/lead',
      ['t2', 't4', 't5'],
    ],
    ['removes a tier of another workstream', placed('t3', 'web'), { removeTiers: ['t3'] }, 't3/web', ['t4', 't5']],
    [
      'adds a tier to another workstream',
      placed('t3', 'web'),
      { addTiers: ['t2'] },
      't3/web',
      ['t2', 't3', 't4', 't5'],
    ],
    [
      'works in another workstream and adds a tier',
      placed('t4', 'web'),
      { addTiers: ['t2'] },
      't4/web',
      ['t2', 't3', 't4', 't5'],
    ],
  ] as const)('that %s only proposes it to the operator', async (_, where, change, author, after) => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const run = await withWorkstreams(agency)
    // The brief has the cap key of no tier of "api", so that nothing of that workstream has started.
    const attempt = await place(agency, run, { ...where, groupKey: 'elsewhere' })
    const agent = agentOf(attempt) as never
    const wanted = change as unknown as Partial<AmendPath>
    const proposed = await amend(agency, run, wanted, agent)
    expect(proposed).toMatchObject({ status: 'proposed', proposedBy: author, afterPath: after })
    const pathOf = async () => (await agency.inspect(run)).parts.find(({ key }) => key === 'ws:api')?.data['path']
    expect(await pathOf()).toEqual(['t3', 't4', 't5'])
    expect((await agency.events(run)).some(({ kind }) => kind === 'path_amendment')).toBe(false)
    const gate = await proposal(agency, run)
    expect(gate).toMatchObject({ id: proposed.gateId, approver: 'operator', boundary: 'part:ws:api' })
    expect(gate?.summary.produced).toContain(`api: t3 → t4 → t5 becomes ${after.join(' → ')}, by ${author}`)
    await expect(amend(agency, run, wanted, agent)).rejects.toMatchObject({
      message: 'a change of this path waits for the operator already',
    })
    await agency.gates.reject(operator, { target: proposed.gateId as string, reason: 'it stays' })
    expect((await agency.inspect(run)).amendments).toMatchObject([{ status: 'rejected' }])
    await expect(amend(agency, run, wanted, agent)).rejects.toMatchObject({
      message: 'the operator has rejected this change',
    })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('gets its proposal when the operator approves it', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const run = await withWorkstreams(agency)
    const attempt = await place(agency, run, { ...placed('t3', 'web'), groupKey: 'elsewhere' })
    const { gateId, id } = await amend(agency, run, { addTiers: ['t2'] }, agentOf(attempt) as never)
    await agency.gates.approve(operator, { target: gateId as string })
    expect((await agency.inspect(run)).amendments).toMatchObject([{ id, status: 'applied', proposedBy: 't3/web' }])
    expect((await agency.events(run)).filter(({ kind }) => kind === 'path_amendment')).toHaveLength(1)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running' })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('keeps the path if its tasks started before the operator approved', async () => {
    const agency = await startAgency(openFresh, { playbooks: [divided] })
    const run = await withWorkstreams(agency)
    const attempt = await place(agency, run, { ...placed('t3', 'web'), groupKey: 'elsewhere' })
    const { gateId } = await amend(agency, run, { removeTiers: ['t3'] }, agentOf(attempt) as never)
    await place(agency, run, placed('t4'))
    await agency.gates.approve(operator, { target: gateId as string })
    expect((await agency.inspect(run)).amendments).toMatchObject([{ status: 'rejected' }])
    expect((await agency.events(run)).at(-1)?.message).toBe('api keeps its path: t4 of api has already started')
    await agency.runs.cancel(operator, run.id, undefined)
  })
})
