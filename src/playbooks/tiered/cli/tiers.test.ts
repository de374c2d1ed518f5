import { expect, it } from 'vitest'

import { openAgency, type TestAgency } from '../../../../test/support/agency.ts'
import { operator } from '../../../../test/support/work.ts'
import { createContext } from '../../../cli/context.ts'
import { documentSchemas } from '../../../cli/offline/schemas.ts'
import { toWire } from '../../../operations/wire.ts'
import { validateDocument } from '../../../json-schema/validate.ts'
import { type Run, runOperations } from '../../../work/runs/contract.ts'
import { escalationsIn, hopsOf, type Inspection } from '../../../work/runs/cli/inspection.ts'
import { tieredView } from './view.ts'
import { countLine, ofTier, standingOf, tierNames, tierTree } from './tiers.ts'
import { treeLines } from '../../../work/runs/cli/tree.ts'

const screen = { ...createContext({ AGENCY_HOME: '/nonexistent' }), columns: 200, colour: false }

const inspected = async (agency: TestAgency, run: Run): Promise<Inspection> =>
  toWire(runOperations.inspect.output, await agency.inspect(run)) as Inspection

it('shows a tiered run by tier with its pending gate; the documents of the finished run match their schemas', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const goal = 'Build a webhook ingestion system'
  const run = await agency.run({ goal, playbook: 'tiered', runtimeOptions: {} })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])

  const gated = tierTree(screen, await inspected(agency, run)).join('\n')
  expect(gated).toContain(`T1 Visionary  done  [GATE: pending review] t1_plan (agency approve ${gate.id})`)
  expect(gated).toMatch(/workplan +t1_plan v1/)
  for (const tier of ['T2', 'T3', 'T4', 'T5']) expect(gated).toMatch(new RegExp(`· ${tier} [\\w ]+ {2}pending`))

  await agency.gates.approve(operator, { target: gate.id })
  await agency.settled(run)
  const whole = await inspected(agency, run)
  const done = tierTree(screen, whole).join('\n')
  expect(done).toMatch(/· T2 Architects {2}not needed/)
  expect(done).toMatch(/✓ T3 Squad leads {2}done/)
  expect(done).toMatch(/T4 workers: (\d+)\/\1 done\n/)
  expect(done).toMatch(/✓ done {2}\S+ {2}t3 → t4 → t5/)
  expect(done).not.toContain('waiting')

  const schemas = Object.entries(documentSchemas())
  for (const [name, content] of Object.entries(whole.documents)) {
    const [, schema] =
      schemas.find(([known]) =>
        known.includes('*') ? name.startsWith(known.split('*')[0] as string) : name === known,
      ) ?? []
    expect(schema, name).toBeDefined()
    const document = { path: `${name}.json`, text: JSON.stringify(content) }
    expect(validateDocument({ document, schema: { inline: schema as Record<string, unknown> } }), name).toEqual([])
  }
  expect(tierNames.flatMap((tier) => Object.keys(ofTier(whole, tier).documents)).toSorted()).toEqual(
    Object.keys(whole.documents).toSorted(),
  )
  const drafts = { ...whole, briefs: whole.briefs.map((brief) => ({ ...brief, status: 'draft' as const })) }
  expect(tieredView.levelLines(screen, drafts, 't3').join('\n')).toMatch(/\ntasks\n {2}\S* ?draft {2}\S+ {2}/)
  const plan = treeLines(screen, whole).find(({ text }) => text.startsWith('t1_plan '))
  expect(plan?.open().join('\n')).toContain(`"goal_anchor": "${goal}"`)
  for (const { tier, level, message } of await agency.events(run))
    if (level === 'normal') expect(tier, message).toMatch(/^(T[1-5]|GATE)$/)
})

it('shows a failed tier as failed and the tiers below it as not reached', () => {
  const ended = (status: string): Inspection =>
    ({
      run: { status, ended_at: '2030-01-01T00:00:00.000Z' },
      briefs: [{ data: { tier: 't1' }, status: status === 'done' ? 'done' : 'failed', attempts: 1 }],
      parts: [],
    }) as unknown as Inspection
  expect(tierNames.map((tier) => standingOf(ended('failed'), tier))).toEqual([
    'failed',
    ...Array.from({ length: 4 }, () => 'not reached'),
  ])
  expect(tierNames.map((tier) => standingOf(ended('done'), tier))).toEqual([
    'done',
    ...Array.from({ length: 4 }, () => 'not needed'),
  ])
})

it('counts implementers by state and leaves out replaced ones', () => {
  const brief = (status: string, attempts = 1) => ({ status, attempts }) as Inspection['briefs'][number]
  const done = ['ready_for_verification', 'verified', 'done'].map((status) => brief(status))
  const rest = [brief('pending', 1), brief('pending', 0), brief('draft', 0), brief('committed', 0), brief('cancelled')]
  expect(countLine('T4 workers', [...done, ...rest])).toBe('T4 workers: 3/7 done, 1 retrying, 3 pending')
  expect(countLine('T4 workers', [brief('working', 1), brief('working', 2), brief('blocked'), brief('failed')])).toBe(
    'T4 workers: 0/4 done, 1 working, 1 retrying, 1 blocked, 1 failed',
  )
})

it('lists escalations with sender, receiver and rank', () => {
  const at = '2030-01-01T00:00:00.000Z'
  const escalated = (data: object) => ({
    at,
    brief_id: 'brf_1',
    message: 'stuck',
    data: data as Record<string, unknown>,
  })
  const climb = ['t3/api', 't2/api', 't2/lead', 't1', 'lead:Architect', 'operator'].map((to) =>
    escalated({ from: 't4/api', to, class: 'asked' }),
  )
  expect(
    escalationsIn([escalated({ class: 'asked' }), ...climb], tieredView.rankOf).map(({ from, to, rank }) => [
      from,
      to,
      rank,
    ]),
  ).toEqual([
    ['t4/api', 't3/api', 1],
    ['t4/api', 't2/api', 2],
    ['t4/api', 't2/lead', 3],
    ['t4/api', 't1', 4],
    ['t4/api', 'lead:Architect', 5],
    ['t4/api', 'operator', 6],
  ])
})

it('lists the hops of a question as escalations, with the reason of those that were skipped', () => {
  const at = '2030-01-01T00:00:00.000Z'
  const hops = [
    { from: 't4/api', to: 't1', rank: 1, at },
    { from: 't1', to: 'lead:Architect', rank: 2, at, skipped: 'vacant' as const },
    { from: 't1', to: 'operator', rank: 3, at },
  ]
  const listed = hopsOf([{ hops, class: 'asked', brief_id: 'brf_1' }], tieredView.rankOf)
  expect(listed.map(({ rank, message, skipped }) => [rank, message, skipped])).toEqual([
    [4, 't4/api → t1', undefined],
    [5, 't1 → lead:Architect', 'vacant'],
    [6, 't1 → operator', undefined],
  ])
})
