import { expect, it } from 'vitest'

import { opened, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createPlayedRepositories } from '../../../test/support/tiered/repositories.ts'
import { operator } from '../../../test/support/work.ts'
import { change } from '../../events/change.ts'
import type { Attempt } from '../attempts/contract.ts'
import { attempts, findAttempt } from '../attempts/store.ts'
import type { Odd } from '../evidence/contract.ts'
import type { Run } from '../runs/contract.ts'

const last = { runtimeOptions: { scenario: { steps: [{ log: 'gate last' }, ...work] } } }
const briefs = [
  { key: 'first', objective: 'Do it' },
  { key: 'last', objective: 'End it', after: ['first'], ...last },
]

/** Starts a run of two briefs; while the last one is at work, its attempt, or that of the first, is changed. */
async function play(
  agency: TestAgency,
  { of = 'last', odd = [], ...given }: { of?: string; odd?: Odd[] } & Partial<Attempt>,
  more = {},
): Promise<Run> {
  const run = await agency.run({ briefs, ...more })
  await agency.gate('last').reached
  const { attemptId } = await agency.brief(run, of)
  await agency.db.write([`run:${run.id}`], async (tx) => {
    const attempt = (await findAttempt(tx, attemptId as string)) as Attempt
    const event = { kind: 'log' as const, by: 'test', runId: run.id, message: 'changed by the test' }
    await change(tx, attempts, attempt, { ...given, odd }, event)
  })
  agency.gate('last').open()
  return run
}

const pendingGate = (agency: TestAgency, run: Run, count = 1) =>
  agency.until(async () => {
    const { gates } = await agency.inspect(run)
    return gates.length === count && gates.at(-1)?.status === 'pending' ? gates.at(-1) : null
  })

const unboxed = { simulated: false, boxed: false }
const sentence =
  'Ran without a box: its agents had your rights on this machine and could change everything, also what checks their work'

describeStores('a run that only a person may accept', (openFresh) => {
  const inRepository = () => startAgency(openFresh, { repositories: createPlayedRepositories() })

  it('waits for acceptance if an agent had no box, and ends when it is approved', async () => {
    const agency = await startAgency(openFresh)
    const run = await play(agency, unboxed)
    const gate = await pendingGate(agency, run)
    expect(gate).toMatchObject({
      gate: 'acceptance',
      approver: 'operator',
      summary: { produced: '2 briefs done.', anomalies: [`${sentence} (last)`] },
    })
    expect(agency.notices.find(({ kind }) => kind === 'gate_pending')?.summary).toContain(sentence)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'accepting', endedAt: null })
    await agency.gates.approve(operator, { target: gate.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done', summary: '2 briefs done and accepted' })
  })

  it('repeats the work that a person rejects, and asks again', async () => {
    const agency = await startAgency(openFresh)
    const run = await play(agency, unboxed)
    const gate = await pendingGate(agency, run)
    await agency.gates.reject(operator, { target: gate.id, reason: 'not like this' })
    const again = await pendingGate(agency, run, 2)
    expect(await agency.brief(run, 'last')).toMatchObject({ attempts: 2, rejectionReason: 'not like this' })
    // The first attempt had no box and may have changed whatever the second one found.
    expect(again.summary.anomalies).toEqual([`${sentence} (last)`])
    await agency.gates.approve(operator, { target: again.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('ends at once if simulated agents had no box', async () => {
    const agency = await startAgency(openFresh)
    const run = await play(agency, { simulated: true, boxed: false })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect((await agency.inspect(run)).gates).toEqual([])
  })

  it('opens its gate again after the gate expired', async () => {
    const agency = await startAgency(openFresh)
    const run = await play(agency, unboxed, { gateTimeoutMinutes: 5 })
    await pendingGate(agency, run)
    await agency.pass(6 * 60_000)
    await agency.until(async () => (await agency.runs.show(run.id)).status === 'paused')
    await agency.gates.resume(operator, run.id)
    const again = await agency.until(async () =>
      (await agency.inspect(run)).gates.find(({ gate, status }) => gate === 'acceptance' && status === 'pending'),
    )
    await agency.gates.approve(operator, { target: again.id })
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('says at the merge gate that it ran without a box', async () => {
    const agency = await inRepository()
    const run = await play(agency, unboxed, { repo: '/shop' })
    const gate = await pendingGate(agency, run)
    const anomalies: unknown = expect.arrayContaining(['two remotes', `${sentence} (last)`])
    expect(gate).toMatchObject({ gate: 'merge', summary: { anomalies } })
  })
})

describeStores('an odd change', (openFresh) => {
  const odd: Odd[] = [
    { kind: 'tests', path: 'test/cart test.js', text: 'test/cart test.js was deleted' },
    { kind: 'unchanged', path: null, text: 'nothing\nwas changed' },
  ]

  it('keeps a run from ending without a person', async () => {
    const agency = await startAgency(openFresh)
    const run = await play(agency, { of: 'first', odd })
    const gate = await pendingGate(agency, run)
    expect(gate).toMatchObject({
      gate: 'acceptance',
      summary: {
        anomalies: [
          'first: test/cart test.js was deleted (no verifier was shown this)',
          'first: nothing was changed (no verifier was shown this)',
        ],
      },
    })
  })

  it('stands at the merge gate and in the pull request with the command that shows it', async () => {
    const agency = await startAgency(openFresh, { repositories: createPlayedRepositories() })
    const run = await play(agency, { of: 'first', odd }, { repo: '/shop' })
    const gate = await pendingGate(agency, run)
    const line = `first: test/cart test.js was deleted (no verifier was shown this): agency pr diff ${run.id} --path 'test/cart test.js'`
    expect(gate.summary.anomalies).toContain(line)
    const shown = await agency.pullRequests.ofRun(run.id)
    expect(shown.warnings).toContain(line)
    expect(shown.body).toContain(`## Odd changes\n\n- \`${line}\``)
  })

  it('is listed with nineteen others; the rest is counted', async () => {
    const agency = await startAgency(openFresh)
    const many = Array.from({ length: 25 }, (_, index): Odd => ({ kind: 'ci', path: null, text: `change ${index}` }))
    const run = await play(agency, { of: 'first', odd: many })
    const { summary } = await pendingGate(agency, run)
    expect(summary.anomalies).toHaveLength(21)
    expect(summary.anomalies.at(-1)).toBe(`and 5 more odd changes: agency inspect ${run.id}`)
  })

  it.each<[string, { acceptance?: 'operator' }]>([
    ['needs no person', {}],
    ['is shown at the gate all the same', { acceptance: 'operator' }],
  ])('that a verifier passed %s', async (_, more) => {
    const agency = await startAgency(openFresh)
    const verdict = { verdict: 'pass', checked: opened('result.md') }
    const verify = [[{ report: { status: 'done', summary: 'Looked.', verdict } }]]
    const run = await play(
      agency,
      { of: 'first', odd },
      {
        briefs: [
          {
            key: 'first',
            objective: 'Do it',
            verify: 'agent',
            runtimeOptions: { scenario: { attempts: [work], verify } },
          },
          briefs[1],
        ],
        ...more,
      },
    )
    if (more.acceptance === undefined) expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    else expect((await pendingGate(agency, run)).summary.anomalies).toContain('first: nothing was changed')
  })
})

describeStores('a brief that was cancelled', (openFresh) => {
  it('is named at the gate of the result, with the person, the reason and the evidence that no longer counts', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({
      acceptance: 'operator',
      briefs: [
        { key: 'first', objective: 'Do it', runtimeOptions: last.runtimeOptions },
        { key: 'texts', objective: 'Write', after: ['first'], evidence: [{ kind: 'file', path: 'texts.md' }] },
      ],
    })
    await agency.gate('last').reached
    await agency.briefs.update(operator, (await agency.brief(run, 'texts')).id, 'cancelled', 'no longer wanted')
    agency.gate('last').open()
    expect((await pendingGate(agency, run)).summary.anomalies).toEqual([
      'texts was cancelled (operator: no longer wanted); its evidence is not required any more: file texts.md (at least 1 byte)',
    ])
  })
})
