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

const placed = (tier: string): Partial<Brief> => ({
  capKey: tier,
  groupKey: 'api',
  data: { tier, workstream: 'api', label: null, files: [] },
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
