import { expect, it } from 'vitest'

import {
  agentOf,
  openAgency,
  opened,
  startAgency,
  type StartRun,
  type TestAgency,
  work,
} from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import type { ChaosPointName } from '../../kernel/chaos-point.ts'
import type { Attempt } from '../attempts/contract.ts'
import type { Run } from '../runs/contract.ts'

const files = (...paths: string[]) => paths.map((path) => ({ kind: 'file', path }) as const)
const writes = (path: string): StepInput => ({ write: { path, text: `${path}\n` } })
const half = (remaining: string | undefined, ...paths: string[]): StepInput[] => [
  ...paths.map(writes),
  { report: { status: 'partial', summary: `Wrote ${paths.join(', ')}.`, outputs: paths, remaining } },
]
const rest = (...paths: string[]): StepInput[] => [
  ...paths.map(writes),
  { report: { status: 'done', summary: 'The rest.', outputs: paths } },
]
const one = { objective: 'Both files', evidence: files('a.md', 'b.md') }
const partly = (play: readonly (readonly StepInput[])[], more: StartRun = {}): StartRun => ({
  briefs: [{ key: 'main', ...one, evidence: [...one.evidence] }],
  play,
  ...more,
})
const keys = async (agency: TestAgency, run: Run) =>
  Object.fromEntries((await agency.inspect(run)).briefs.map((brief) => [brief.key, brief.status]))

describeStores('work that was done in part', (openFresh) => {
  it('keeps the finished part; the remainder becomes a brief in the same workspace', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run(partly([half('Write b.md', 'a.md'), rest('b.md')])))
    expect(run).toMatchObject({ status: 'done', briefsTotal: 2, briefsDone: 2, briefsOpen: 0 })
    const { briefs, attempts, evidence } = await agency.inspect(run)
    const [main, left] = briefs
    expect(main).toMatchObject({
      key: 'main',
      status: 'done',
      attempts: 1,
      retriesUsed: 1,
      evidence: [{ path: 'a.md' }],
    })
    expect(left).toMatchObject({
      key: 'main:rest:1',
      remainderOf: main?.id,
      // The rest, as its maker describes it, is a quotation, never the task.
      objective: 'Both files',
      context: expect.stringMatching(/and that this is left \(a quotation: .*\n\n> Write b\.md$/) as never,
      evidence: [{ path: 'a.md' }, { path: 'b.md' }],
      runtimeOptions: main?.runtimeOptions,
      retriesUsed: 1,
      retryBudget: main?.retryBudget,
      status: 'done',
    })
    expect(attempts.map(({ outcome, briefId }) => [outcome, briefId])).toEqual([
      ['partial_output', main?.id],
      ['ok', left?.id],
    ])
    expect(evidence.map((check) => [check.briefId === main?.id, check.passed])).toEqual(
      expect.arrayContaining([
        [true, true],
        [true, false],
        [false, true],
      ]),
    )
    const prompt = agency.prompts.get(attempts[1]?.id as string)
    expect(prompt).toContain('# Your brief\n\nBoth files\n')
    expect(prompt).toContain('## Failures of the last attempt\n\n- file b.md: b.md is missing')
    expect(prompt).toContain('> Wrote a.md.')
    const place = await agency.workspaces.prepare({ id: main?.id as string, runId: run.id })
    expect(await place.read('a.md', 10)).not.toBeNull()
    expect(await place.read('b.md', 10)).not.toBeNull()
    const events = await agency.events(run)
    expect(events.find((event) => event.briefId === left?.id && event.kind === 'brief_created')).toMatchObject({
      message: 'main:rest:1: Write b.md (retry 1/3)',
      data: { class: 'partial_output', used: 1, limit: 3, remainder_of: main?.id },
    })
  })

  it('uses the summary as the remainder if none is named', async () => {
    const agency = await startAgency(openFresh)
    const part: StepInput[] = [
      writes('result.md'),
      { report: { status: 'partial', summary: 'Two of three chapters.', outputs: ['result.md'] } },
    ]
    const run = await agency.settled(await agency.run({ play: [part, work] }))
    expect(run).toMatchObject({ status: 'done', briefsDone: 2 })
    expect(await agency.brief(run, 'main:rest:1')).toMatchObject({
      objective: 'Do it',
      context: expect.stringMatching(/and that this is left \(a quotation: .*\n\n> Two of three chapters\.$/) as never,
      evidence: [{ kind: 'artifact' }],
      checkable: false,
    })
  })

  it('does not ask the remainder to report the outputs of the kept part, which must still exist', async () => {
    const agency = await startAgency(openFresh)
    const evidence = (['a.md', 'b.md'] as const).map((path) => ({ kind: 'artifact', path }) as const)
    const briefs = [{ key: 'main', objective: 'Both files', evidence }]
    const run = await agency.settled(await agency.run({ briefs, play: [half('Write b.md', 'a.md'), rest('b.md')] }))
    expect(run).toMatchObject({ status: 'done', briefsDone: 2 })
    expect((await agency.inspect(run)).attempts.map(({ outcome }) => outcome)).toEqual(['partial_output', 'ok'])
    const left = await agency.brief(run, 'main:rest:1')
    expect(left.evidence).toEqual([{ kind: 'file', path: 'a.md', minBytes: 0 }, evidence[1]])
  })

  it('is not finished by a remainder that undoes the kept part', async () => {
    const agency = await startAgency(openFresh)
    const undoes: StepInput[] = [{ write: { path: 'a.md', text: '' } }, ...rest('b.md')]
    const play = [half('Write b.md', 'a.md'), undoes, rest('a.md', 'b.md')]
    const run = await agency.settled(await agency.run(partly(play)))
    expect(run).toMatchObject({ status: 'done', briefsDone: 2 })
    expect(await agency.brief(run, 'main:rest:1')).toMatchObject({ attempts: 2 })
    const { attempts } = await agency.inspect(run)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['partial_output', 'bad_output', 'ok'])
  })

  it('can be split repeatedly out of one retry budget; then a question is asked', async () => {
    const agency = await startAgency(openFresh)
    const slow = [half('more', 'a.md'), half('more', 'b.md'), half('more', 'b.md'), rest('b.md')]
    const run = await agency.run(partly(slow, { retryBudget: 2, onLimit: 'ask' }))
    const stuck = await agency.until(async () =>
      (await agency.inspect(run)).briefs.find((brief) => brief.status === 'blocked'),
    )
    expect(stuck).toMatchObject({ key: 'main:rest:1:rest:1', retriesUsed: 2, retryBudget: 2, attempts: 1 })
    const { questions, briefs } = await agency.inspect(run)
    expect(briefs.map((brief) => brief.remainderOf)).toEqual([null, briefs[0]?.id, briefs[0]?.id])
    expect(questions).toMatchObject([
      { class: 'bad_output', text: 'main:rest:1:rest:1 is stuck: only a part was done, after 2 of 2 retries: more' },
    ])
    await agency.questions.answer(operator, questions[0]?.id as string, 'retry')
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 3 })
  })

  it('without passing evidence is not kept: the brief is retried', async () => {
    const agency = await startAgency(openFresh)
    const nothing: StepInput[] = [{ report: { status: 'partial', summary: 'I have begun.' } }]
    const run = await agency.settled(await agency.run(partly([nothing, rest('a.md', 'b.md')])))
    expect(await keys(agency, run)).toEqual({ main: 'done' })
    expect(await agency.brief(run)).toMatchObject({ attempts: 2, retriesUsed: 1 })
  })

  it('makes its dependents wait for the remainder, too', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run(
      partly([half('Write b.md', 'a.md'), [{ log: 'gate rest' }, ...rest('b.md')]], {
        briefs: [
          { key: 'main', ...one, evidence: [...one.evidence] },
          {
            key: 'next',
            objective: 'After it',
            after: ['main'],
            evidence: [],
            runtimeOptions: { scenario: { attempts: [work] } },
          },
        ],
      }),
    )
    await agency.gate('rest').reached
    expect(await keys(agency, run)).toMatchObject({ main: 'done', next: 'pending' })
    expect(await agency.brief(run, 'next')).toMatchObject({ unmetDependencies: 1 })
    agency.gate('rest').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 3 })
    const { attempts, briefs } = await agency.inspect(run)
    expect(attempts.map((each) => briefs.find((brief) => brief.id === each.briefId)?.key)).toEqual([
      'main',
      'main:rest:1',
      'next',
    ])
    expect(await agency.brief(run, 'next')).toMatchObject({ unmetDependencies: 0 })
  })

  it('is verified part by part: the remainder starts when the kept part has passed', async () => {
    const agency = await startAgency(openFresh)
    const looks = (...checked: string[]): StepInput[] => [
      { report: { status: 'done', summary: 'Looked.', verdict: { verdict: 'pass', checked: opened(...checked) } } },
    ]
    const refuses: StepInput[] = [
      { report: { status: 'done', summary: 'Looked.', verdict: { verdict: 'fail', issues: ['thin'] } } },
    ]
    const again: StepInput[] = [...rest('a.md'), { write: { path: 'a.md', text: 'a, and more of it\n' } }]
    const scenario = {
      attempts: [half('Write b.md', 'a.md'), again, rest('b.md')],
      verify: [refuses, [{ log: 'gate judge' }, ...looks('a.md')], looks('a.md', 'b.md')],
    }
    const run = await agency.run(partly([], { verify: 'all', runtimeOptions: { scenario } }))
    await agency.gate('judge').reached
    // The brief was refused once and is done again with its reduced scope.
    expect(await agency.brief(run)).toMatchObject({
      attempts: 2,
      verificationFailures: 1,
      status: 'ready_for_verification',
    })
    expect(await agency.brief(run, 'main:rest:1')).toMatchObject({
      status: 'pending',
      unmetDependencies: 1,
      attempts: 0,
    })
    agency.gate('judge').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsDone: 2 })
    const { verdicts, briefs, attempts } = await agency.inspect(run)
    const keyOf = (id: string) => briefs.find((brief) => brief.id === id)?.key
    expect(verdicts.map((each) => [keyOf(each.briefId), each.verdict])).toEqual([
      ['main', 'fail'],
      ['main', 'pass'],
      ['main:rest:1', 'pass'],
    ])
    const [judging] = attempts.filter((each) => keyOf(each.briefId) === 'verify:main:1')
    const prompt = agency.prompts.get(judging?.id as string)
    expect(prompt).toContain(
      '\nOnly a part of the task belongs here: the rest is main:rest:1, which is judged by itself.\n',
    )
    expect(prompt).toMatch(/\n> > Write b\.md\n/)
  })

  it('with open notes is not split before they are settled', async () => {
    const agency = await startAgency(openFresh)
    const play = [
      [{ log: 'gate note' }, ...half('Write b.md', 'a.md')],
      [{ log: 'gate again' }, ...rest('a.md', 'b.md')],
    ]
    const run = await agency.run(partly(play))
    await agency.gate('note').reached
    await agency.passed('attempt.started')
    const agent = agentOf((await agency.inspect(run)).attempts[0] as Attempt)
    await agency.notes.add(agent, { description: 'x', context: 'y', status: 'open', category: 'bug' })
    agency.gate('note').open()
    await agency.gate('again').reached
    await agency.passed('attempt.started', 2)
    expect(await keys(agency, run)).toEqual({ main: 'working' })
    await agency.notes.resolve(operator, { noteId: 'note_001', runId: run.id, resolution: 'fixed' })
    agency.gate('again').open()
    expect(await agency.settled(run)).toMatchObject({ status: 'done', briefsTotal: 1, briefsDone: 1 })
  })

  const points: [ChaosPointName, times: number][] = [
    ['agent.reported', 1],
    ['evidence.checked', 1],
    ['attempt.ended', 1],
    ['brief.claimed', 2],
    ['evidence.checked', 2],
    ['attempt.ended', 2],
  ]
  it.each(points)('is split once when the daemon dies at "%s" for the %i. time', async (point, times) => {
    let left = times
    const gates = ['first', 'second']
    const before = await startAgency(openFresh, {
      chaosPoint: (passed) => {
        if (passed === point && --left === 0) before.die()
        if (passed === 'attempt.started') before.gate(gates.shift() as string).open()
      },
    })
    const run = await before.run(
      partly([
        [{ log: 'gate first' }, ...half('Write b.md', 'a.md')],
        [{ log: 'gate second' }, ...rest('b.md')],
      ]),
    )
    await before.passed(point, times)
    const { workspaces, clock, store } = before
    const after = await openAgency({ db: store.db, clock, workspaces, worker: 'test:2' })
    for (const gate of ['first', 'second']) after.gate(gate).open()
    await after.engine.start()
    expect(await after.settled(run)).toMatchObject({ status: 'done', briefsTotal: 2, briefsDone: 2, briefsOpen: 0 })
    expect(await keys(after, run)).toEqual({ main: 'done', 'main:rest:1': 'done' })
  })
})
