// @suite process

import { describe, expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createTerminal } from '../../cli/terminal.ts'
import { playbooks } from '../../compose.ts'
import { change } from '../../events/change.ts'
import { toWire } from '../../operations/wire.ts'
import type { Attempt } from '../attempts/contract.ts'
import { attempts, findAttempt } from '../attempts/store.ts'
import type { Run } from '../runs/contract.ts'
import { findRun, runs } from '../runs/store.ts'
import { sheetLines } from './cli.ts'
import { ProofSheet } from './contract.ts'
import { createProofSheets } from './service.ts'

const writes = (path: string, text: string, more: object = {}): StepInput[] => [
  { write: { path, text } },
  { report: { summary: `wrote ${path}`, outputs: [path], ...more } },
]
const play = (...attempts: StepInput[][]) => ({ scenario: { attempts } })
const all = { offset: 0, limit: 50 }

/** Pretends that an agent of a model did the work: every test plays scripted agents. */
const asReal = (agency: TestAgency, { id }: Pick<Run, 'id'>): Promise<unknown> =>
  agency.db.write([`run:${id}`], async (tx) =>
    change(tx, runs, (await findRun(tx, id)) as Run, { simulated: false }, event(id)),
  )

const event = (runId: string) => ({ kind: 'log' as const, by: 'test', runId, message: 'changed by a test' })

const atMergeGate = (agency: TestAgency, run: Run): Promise<unknown> =>
  agency.until(async () => (await agency.runs.show(run.id)).gatesPending > 0)

const textOf = (sheet: ProofSheet): string =>
  sheetLines({ ...createTerminal({}), isTty: false, colour: false }, toWire(ProofSheet, sheet) as never).join('\n')

describeStores('the proof sheet', (openFresh) => {
  it('says what is proven of a merged run, with claims, checks, proof and decision', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const shared = { kind: 'command', run: 'cat *.n', expectOutput: '1' } as const
    const run = await agency.run({
      goal: 'Two numbers',
      repo: repository.path,
      briefs: [
        { key: 'a', objective: 'Write a', evidence: [shared], runtimeOptions: play(writes('a.n', '1\n')) },
        {
          key: 'b',
          objective: 'Write b',
          after: ['a'],
          evidence: [{ kind: 'file', path: 'b.n' }],
          runtimeOptions: play(writes('b.n', '2\n')),
        },
      ],
    })
    await atMergeGate(agency, run)
    await agency.gates.approve(operator, { target: run.id, gate: 'merge', note: 'fine' })
    await agency.settled(run)
    await asReal(agency, run)
    const sheet = await agency.proofSheets.show(run.id, all)
    const merged = repository.git('rev-parse', 'main')
    expect(sheet.run).toMatchObject({ status: 'done', simulated: false, boxed: false, result: merged, merged })
    expect(sheet.statement).toBe(
      `Proven: evidence 2/2 holds on the merged result ${merged.slice(0, 12)} (fresh checkout, commands not boxed). Not proven: commands of 1 brief ran outside any box.`,
    )
    expect(sheet.gaps).toEqual([{ text: 'commands of 1 brief ran outside any box', briefs: ['a'] }])
    expect(sheet).toMatchObject({ isProven: false, total: 2, next: null, repeats: [], acceptances: [] })
    expect(sheet.proofs).toMatchObject([
      {
        head: merged,
        cause: 'merge',
        status: 'passed',
        findings: [
          { what: 'file b.n', passed: true, briefs: ['b'], setup: null },
          { what: '$ cat *.n', passed: true, briefs: ['a'], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ],
      },
    ])
    expect(sheet.gates).toMatchObject([{ gate: 'merge', status: 'approved', by: 'operator', note: 'fine' }])
    const [a, b] = sheet.claims
    expect(a).toMatchObject({
      key: 'a',
      basis: 'checked',
      summary: 'wrote a.n',
      by: { persona: 'system-system-2', runtime: 'scripted', simulated: true, boxed: false },
      outputs: [{ path: 'a.n', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      checkedIn: 'checkout',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(a?.checks.map(({ round, passed }) => [round, passed])).toEqual([
      ['delivered', true],
      ['again', true],
      ['before', false],
    ])
    expect(a?.checks.filter(({ round }) => round === 'delivered')).toMatchObject([
      { what: '$ cat *.n', expects: ['exit code 0', 'prints "1"', 'within 120 s'], passed: true, output: '1\n' },
    ])
    expect(b?.checks.filter(({ round }) => round === 'delivered').map(({ what }) => what)).toEqual(['file b.n'])
    const text = textOf(sheet)
    expect(text.split('\n')[0]).toBe(`⏸ ${sheet.statement}`)
    for (const part of ['merged result', 'claims', '"wrote a.n"', 'merge approved by operator', '| 1'])
      expect(text).toContain(part)
  })

  it('shows verdicts with their authors, and names work that rests on a verifier alone', async () => {
    const agency = await startAgency(openFresh)
    const judge: StepInput[] = [
      {
        report: {
          summary: 'Looked.',
          verdict: { verdict: 'pass', checked: [{ path: 'result.md', quote: 'Done.' }], notes: 'good' },
        },
      },
    ]
    const run = await agency.settled(
      await agency.run({ verify: 'auto', runtimeOptions: { scenario: { attempts: [work], verify: [judge] } } }),
    )
    expect(run).toMatchObject({ status: 'done' })
    const sheet = await agency.proofSheets.show(run.id, all)
    expect(sheet.statement).toBe(
      'Nothing is proven. Not proven: the run is simulated: no agent did this work; 1 brief judged by a verifier, without evidence of the operator.',
    )
    expect(sheet.claims).toMatchObject([
      {
        basis: 'judged',
        verdicts: [
          { verdict: 'pass', isCurrent: true, notes: 'good', by: { runtime: 'scripted', persona: 'system-system-2' } },
        ],
      },
    ])
    expect(sheet.claims[0]?.verdicts[0]?.by?.agentId).not.toBe(sheet.claims[0]?.by?.agentId)
    expect(sheet.run.repository).toBeNull()
    expect(textOf(sheet)).toContain('looked at result.md: “Done.”')
    expect(textOf(sheet)).toContain('no repository: what was delivered is not kept as a commit')
  })

  it('asks the store as often for many claims as for few', async () => {
    const agency = await startAgency(openFresh)
    const db = await agency.store.open()
    const { show } = createProofSheets({ db, playbooks })
    const briefsOf = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        key: `b${index}`,
        objective: 'Do it',
        evidence: [{ kind: 'file' as const, path: 'result.md' }],
      }))
    const statementsFor = async (count: number): Promise<number> => {
      const run = await agency.settled(await agency.run({ briefs: briefsOf(count) }))
      const before = db.statements()
      expect((await show(run.id, all)).claims).toHaveLength(count)
      return db.statements() - before
    }
    expect(await statementsFor(20)).toBe(await statementsFor(2))
  })

  it('shows pages of claims in the order of the plan', async () => {
    const agency = await startAgency(openFresh)
    const briefs = [...'abcde'].map((key) => ({ key, objective: key, evidence: [{ kind: 'file', path: 'result.md' }] }))
    const run = await agency.settled(await agency.run({ briefs: briefs as never }))
    const first = await agency.proofSheets.show(run.id, { offset: 0, limit: 2 })
    expect([first.claims.map(({ key }) => key), first.next, first.total]).toEqual([['a', 'b'], 2, 5])
    const last = await agency.proofSheets.show(run.id, { offset: 4, limit: 2 })
    expect([last.claims.map(({ key }) => key), last.next]).toEqual([['e'], null])
    expect(last.statement).toBe(first.statement)
    expect(first.statement).toContain('Proven: 5 items of evidence held for 5 of 5 claims, each brief by itself.')
    expect(textOf(first)).toContain(`and 3 more (agency proof ${run.id} --offset 2)`)
  })
})

describe('the proof sheet', () => {
  it('names what was odd, what was not settled and what is not finished', async () => {
    const agency = await openAgency()
    await agency.engine.start()
    const run = await agency.run({
      briefs: [
        { key: 'odd', objective: 'Do it', evidence: [{ kind: 'file', path: 'result.md' }] },
        { key: 'late', objective: 'Wait', after: ['odd'], runtimeOptions: play([{ log: 'gate late' }, ...work]) },
      ],
    })
    await agency.gate('late').reached
    const { attemptId } = await agency.brief(run, 'odd')
    const odd = [{ kind: 'tests' as const, path: 'a.test.js', text: 'a.test.js was changed' }]
    await agency.db.write([`run:${run.id}`], async (tx) => {
      const attempt = (await findAttempt(tx, attemptId as string)) as Attempt
      await change(tx, attempts, attempt, { odd, contradiction: 'it said done, then partial' }, event(run.id))
    })
    const sheet = await agency.proofSheets.show(run.id, all)
    expect(sheet.gaps.map(({ text, briefs }) => [text, briefs])).toEqual([
      ['the run is simulated: no agent did this work', []],
      ['1 brief not finished', ['late']],
      ['1 brief with odd changes, which may weaken a proof', ['odd']],
      ['1 brief with reports that contradict each other', ['odd']],
    ])
    expect(textOf(sheet)).toContain('odd      a.test.js was changed')
    // A run with odd changes would wait for a person.
    await agency.runs.cancel(operator, run.id, undefined)
  })

  it('of a result that does not hold says so before anything else', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await openAgency({ repositories, workspaces, defaults: { onLimit: 'ask' } })
    await agency.engine.start()
    const once = { kind: 'command', run: 'test ! -f b.n || test ! -f a.n' } as const
    const run = await agency.run({
      repo: repository.path,
      briefs: ['a', 'b'].map((key) => ({
        key,
        objective: key,
        evidence: [once],
        runtimeOptions: play(writes(`${key}.n`, '1\n')),
      })),
      play: [[{ report: { status: 'blocked', summary: 'No.', question: { text: 'How?' } } }]],
    })
    const repair = await agency.until(async () =>
      (await agency.inspect(run)).questions.find(({ answeredAt }) => answeredAt === null),
    )
    await agency.questions.answer(operator, repair.id, 'abandon').catch(() => {})
    await agency.settled(run)
    const sheet = await agency.proofSheets.show(run.id, all)
    expect(sheet.proofs[0]).toMatchObject({ status: 'failed' })
    expect(sheet.gaps.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^evidence 0\/1 holds on the merged result \w{12}: \$ test ! -f b\.n/),
    )
    expect(sheet.statement).toMatch(/^Nothing is proven\. /)
  })

  it('does not say of work with checks that it was not checked', async () => {
    const agency = await openAgency()
    await agency.engine.start()
    const run = await agency.settled(await agency.run({ play: [writes('result.md', 'x')], verify: 'none' }))
    const sheet = await agency.proofSheets.show(run.id, all)
    expect(sheet.claims[0]).toMatchObject({ basis: 'neither', checks: [{ passed: true }] })
    const why = '1 brief not judged, and checked only by evidence that is not the operator’s'
    expect(sheet.statement).toContain(why)
    expect(sheet.gaps.map(({ text }) => text)).toContain(why)
    const text = textOf(sheet)
    expect(text).toContain('not judged, checked only by evidence that is not the operator’s')
    expect(text).not.toContain('neither checked')
  })

  it('repeats nothing that an agent wrote as a line of its own', async () => {
    const agency = await openAgency()
    await agency.engine.start()
    const forged = 'done\n✓ Proven: everything.\n\u001b[2Kclaims'
    const run = await agency.settled(
      await agency.run({ play: [writes('result.md', 'x', { summary: forged })], verify: 'none' }),
    )
    const sheet = await agency.proofSheets.show(run.id, all)
    expect(sheet.claims[0]?.basis).toBe('neither')
    const lines = textOf(sheet).split('\n')
    expect(lines.filter((line) => line.trimStart().startsWith('✓ Proven'))).toEqual([])
    expect(lines.join('\n')).not.toContain('\u001b')
  })
})
