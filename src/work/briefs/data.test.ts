import { expect, it } from 'vitest'
import { z } from 'zod'

import { openAgency } from '../../../test/support/agency.ts'
import { changeRun } from '../../../test/support/change-run.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Decision, NewBrief, Playbook } from '../../playbooks/contract.ts'
import { direct } from '../../playbooks/direct/decide.ts'
import { reviseDraft } from './drafts.ts'

const fields = { colour: z.string(), shades: z.array(z.string()).default([]), personality: z.null() }

/** A playbook whose runs begin with one brief that has these data. */
const painting = (data: NewBrief['data'], more: Partial<Playbook> = {}): Playbook => ({
  ...direct,
  briefData: z.strictObject(fields),
  decide: (view, event): readonly Decision[] =>
    event.kind === 'run_started' ? [{ kind: 'add_briefs', briefs: [sky(data)] }] : direct.decide(view, event),
  ...more,
})

const sky = (data: NewBrief['data']): NewBrief => ({
  key: 'sky',
  kind: 'plan',
  phase: 'paint',
  title: 'Paint',
  objective: 'Paint the sky',
  part: 'picture',
  cast: { tier: 'painter', domain: null, wanted: null },
  capKey: 'painter',
  groupKey: 'picture',
  retryBudget: 1,
  data,
})

describeStores('the data of a brief', (openFresh) => {
  it('are kept as the playbook declares them, beside the keys that the engine counts and asks by', async () => {
    const agency = await openAgency({ db: (await openFresh()).db, playbooks: [painting({ colour: 'blue' })] })
    const run = await agency.run()
    expect(await agency.brief(run, 'sky')).toMatchObject({
      capKey: 'painter',
      groupKey: 'picture',
      startsAfterFailure: false,
      data: { colour: 'blue', shades: [], personality: null },
    })
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it.each([
    ['a field of another type', { colour: 7 }, /"direct" made brief "sky" with a wrong data\.colour: .*string/],
    ['a missing field', {}, /made brief "sky" with a wrong data\.colour: /],
    ['an unknown field', { colour: 'blue', size: 1 }, /made brief "sky" with a wrong data: .*"size"/],
  ])('are refused with %s, which is named, and nothing is kept', async (_, data, message) => {
    const agency = await openAgency({ db: (await openFresh()).db, playbooks: [painting(data)] })
    await expect(agency.run()).rejects.toThrow(message)
    expect((await agency.runs.list({ limit: 10 })).runs).toEqual([])
  })

  it('are refused when a draft is revised with a wrong field, and the draft stays as it was', async () => {
    const agency = await openAgency({ db: (await openFresh()).db })
    const run = await agency.run()
    const brief = await agency.brief(run)
    const draft = { title: 'Paint', objective: 'Paint the sky', data: { colour: 'blue' } }
    await expect(changeRun(agency, run, (scope) => reviseDraft(scope, brief, draft))).rejects.toThrow(
      /"direct" made brief "main" with a wrong data: .*"colour"/,
    )
    expect(await agency.brief(run)).toMatchObject({ title: brief.title, data: brief.data })
  })

  it('are refused if the playbook declares none', async () => {
    const { briefData: _, ...undeclared } = painting({ colour: 'blue' })
    const agency = await openAgency({ db: (await openFresh()).db, playbooks: [undeclared] })
    await expect(agency.run()).rejects.toThrow(/made brief "sky" with a wrong data: /)
  })
})
