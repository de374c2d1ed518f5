// @suite process

import { rmSync } from 'node:fs'

import { expect, it } from 'vitest'

import { openAgency, startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories } from '../../../test/support/repository.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { playbooks } from '../../compose.ts'
import { type BriefStatus, briefStatuses } from '../briefs/states.ts'
import type { Run } from '../runs/contract.ts'
import { leftOf } from './sentence.ts'
import { createRunResults } from './service.ts'

const all = { offset: 0, limit: 50 }
const play = (...attempts: StepInput[][]) => ({ scenario: { attempts } })
const writes = (path: string, text: string, summary = `wrote ${path}`): StepInput[] => [
  { write: { path, text } },
  { report: { summary, outputs: [path] } },
]
const judge = (verdict: object): StepInput[] => [{ report: { summary: 'Looked.', verdict } }]

const atMergeGate = (agency: TestAgency, run: Run): Promise<unknown> =>
  agency.until(async () => (await agency.runs.show(run.id)).gatesPending > 0)

describeStores('the result of a run', (openFresh) => {
  it('has the words of the agent, its file, the check, the verifier and the cost', async () => {
    const agency = await startAgency(openFresh)
    const pass = judge({ verdict: 'pass', checked: [{ path: 'result.md', quote: 'Done.' }], notes: 'good' })
    const run = await agency.settled(
      await agency.run({ verify: 'all', runtimeOptions: { scenario: { attempts: [work], verify: [pass] } } }),
    )
    const result = await agency.runResults.show(run.id, all)
    const { artifacts } = await agency.inspect(run)
    expect(result).toMatchObject({
      run: { id: run.id, status: 'done', simulated: true },
      sentence: { text: 'Done.', source: 'agent', by: { simulated: true, name: 'an agent' } },
      left: null,
      briefs: { done: 1, failed: 0, working: 0 },
      files: [{ path: 'result.md', artifactId: artifacts[0]?.id, version: 1, bytes: 6, change: null }],
      filesTotal: 1,
      diff: null,
      diffFault: null,
      verifiedBy: [{ passed: 1, failed: 0 }],
      answers: [],
      waitsFor: null,
      cost: { costMicros: run.costMicros, tokens: run.inputTokens + run.outputTokens },
    })
    expect(result.claims).toHaveLength(1)
    expect(result.claims[0]?.verdicts[0]?.by?.name).toBe(result.verifiedBy[0]?.name)
  })

  it('of a repository has the size of every change, the exit code of every command, and the decision that it waits for', async () => {
    const repository = makeRepository()
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const run = await agency.run({
      repo: repository.path,
      evidence: [{ kind: 'command', run: 'cat a.txt', expectOutput: 'two' }],
      play: [writes('a.txt', 'one\ntwo\n', 'Two lines are in a.txt.')],
    })
    await atMergeGate(agency, run)
    const open = await agency.runResults.show(run.id, all)
    expect(open).toMatchObject({
      sentence: { text: 'Two lines are in a.txt.', source: 'agent' },
      diff: { files: 1, added: 2, removed: 0 },
      files: [{ path: 'a.txt', version: 1, change: { status: 'added', added: 2, removed: 0, binary: false } }],
      waitsFor: expect.stringMatching(/^your approval of merge: agency approve gat_/) as string,
    })
    expect(open.claims[0]?.checks.find(({ round }) => round === 'delivered')).toMatchObject({
      what: '$ cat a.txt',
      exitCode: 0,
      output: 'one\ntwo\n',
    })
    const { body } = await agency.pullRequests.ofRun(run.id)
    expect(body).toContain('## In the words of the agents\n\n- main: `Two lines are in a.txt.`')
    expect(body).toMatch(/## Proofs on [0-9a-f]{12}\n\n- ✓ `\$ cat a\.txt` `exit code 0`/)
    await agency.gates.approve(operator, { target: run.id, gate: 'merge', note: 'fine' })
    await agency.settled(run)
    const merged = await agency.runResults.show(run.id, all)
    expect(merged).toMatchObject({
      run: { status: 'done' },
      sentence: { text: 'Two lines are in a.txt.' },
      waitsFor: null,
      gates: [{ gate: 'merge', by: 'operator', note: 'fine' }],
    })
    expect(merged.run.merged).toBe(repository.git('rev-parse', 'main'))
    const brief = await agency.brief(run)
    expect(await agency.runResults.show(run.id, { ...all, briefId: brief.id })).toMatchObject({
      sentence: { text: 'Two lines are in a.txt.' },
      total: 1,
      diff: { files: 1, added: 2 },
      cost: { unpricedCalls: null },
    })
  })

  it('of a failed run says why it failed and how much is finished', async () => {
    const agency = await startAgency(openFresh)
    const evidence = [{ kind: 'file', path: 'b.md' }] as const
    const run = await agency.settled(
      await agency.run({
        onLimit: 'fail',
        retryBudget: 0,
        briefs: [
          { key: 'a', objective: 'Write a', runtimeOptions: play(writes('a.md', 'a')) },
          {
            key: 'b',
            objective: 'Write b',
            after: ['a'],
            evidence: [...evidence],
            runtimeOptions: play(writes('c.md', 'c')),
          },
          { key: 'c', objective: 'Write c', after: ['b'] },
        ],
      }),
    )
    const result = await agency.runResults.show(run.id, all)
    expect(result.sentence).toMatchObject({ source: 'run', by: null, text: run.summary })
    expect(result.sentence?.text).toMatch(/^1 brief failed: b: /)
    expect(result.left).toBe('1 of 3 briefs finished; 1 failed, 1 cancelled')
    expect(result.files.map(({ path }) => path)).toEqual(['c.md', 'a.md'])
  })

  it('of a cancelled run without any file says so', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.run({ play: [[{ hang: {} }]] })
    await agency.until(async () => (await agency.brief(run)).status === 'working')
    expect(await agency.runResults.show(run.id, all)).toMatchObject({ sentence: null, files: [], claims: [{}] })
    await agency.runs.cancel(operator, run.id, 'no longer needed')
    expect(await agency.runResults.show(run.id, all)).toMatchObject({
      sentence: { text: 'no longer needed', source: 'run' },
      left: '0 of 1 brief finished; 1 cancelled',
      files: [],
      claims: [],
    })
  })

  it('distinguishes files of one name that two briefs made in workspaces of their own', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(
      await agency.run({
        briefs: ['a', 'b', 'c'].map((key) => ({
          key,
          objective: key,
          runtimeOptions: play(writes('result.md', key === 'b' ? 'two' : 'one')),
        })),
      }),
    )
    const { files } = await agency.runResults.show(run.id, all)
    const { artifacts, briefs } = await agency.inspect(run)
    const contentOf = (id: string | null) => artifacts.find((artifact) => artifact.id === id)?.sha256
    expect(files).toHaveLength(3)
    for (const file of files) expect(contentOf(file.artifactId)).toBe(file.sha256)
    expect(files.map(({ briefId }) => briefs.find(({ id }) => id === briefId)?.key)).toEqual(['a', 'b', 'c'])
  })

  it('refuses a brief of another run', async () => {
    const agency = await startAgency(openFresh)
    const [one, other] = [await agency.settled(await agency.run()), await agency.settled(await agency.run())]
    const { id } = await agency.brief(other)
    await expect(agency.runResults.show(one.id, { ...all, briefId: id })).rejects.toThrow(`no brief "${id}"`)
  })

  it('asks the store as often for many claims as for few', async () => {
    const agency = await startAgency(openFresh)
    // A connection of its own: the engine uses the other one.
    const db = await agency.store.open()
    const { show } = createRunResults({ db, clock: agency.clock, playbooks, slots: 8, isLeftOut: () => false })
    const statementsFor = async (count: number): Promise<number> => {
      const briefs = Array.from({ length: count }, (_, index) => ({ key: `b${index}`, objective: 'Do it' }))
      const run = await agency.settled(await agency.run({ briefs }))
      const before = db.statements()
      expect((await show(run.id, all)).claims).toHaveLength(count)
      return db.statements() - before
    }
    expect(await statementsFor(20)).toBe(await statementsFor(2))
  })
})

it('names the answers of people', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.run({
    onLimit: 'ask',
    play: [[{ report: { status: 'blocked', summary: 'Unsure.', question: { text: 'Which colour?' } } }], [...work]],
  })
  const question = await agency.until(async () => (await agency.inspect(run)).questions[0])
  await agency.questions.answer(operator, question.id, 'blue')
  await agency.settled(run)
  expect((await agency.runResults.show(run.id, all)).answers).toMatchObject([
    { id: question.id, text: 'Which colour?', answer: 'blue', by: 'operator' },
  ])
})

it('calls the cancelled briefs of a done run dropped, and counts them in other runs', () => {
  const none = Object.fromEntries(briefStatuses.map((status) => [status, 0])) as Record<BriefStatus, number>
  const counts = { ...none, done: 21, cancelled: 1 }
  expect(leftOf(counts, true)).toBe('1 brief dropped')
  expect(leftOf(counts, false)).toBe('21 of 22 briefs finished; 1 cancelled')
  expect(leftOf({ ...counts, cancelled: 0 }, true)).toBeNull()
})

it('quotes the acceptance of a tiered run', async () => {
  const agency = await openAgency()
  await agency.engine.start()
  const run = await agency.run({ goal: 'Build a webhook ingestion system', playbook: 'tiered', runtimeOptions: {} })
  const gate = await agency.until(async () => (await agency.gates.ofRun(run.id)).gates[0])
  await agency.gates.approve(operator, { target: gate.id })
  await agency.settled(run)
  const { documents } = await agency.inspect(run)
  const { reason } = documents['acceptance/final'] as { reason: string }
  expect((await agency.runResults.show(run.id, all)).sentence).toMatchObject({
    text: reason,
    source: 'acceptance',
    by: { simulated: true },
  })
})

it('says that git cannot read the changes of a mirror that is gone', async () => {
  const repository = makeRepository()
  const { repositories, workspaces } = openRepositories()
  const agency = await openAgency({ repositories, workspaces })
  await agency.engine.start()
  const run = await agency.run({ repo: repository.path, play: [writes('a.txt', 'one\n')] })
  await atMergeGate(agency, run)
  await agency.runs.cancel(operator, run.id, undefined)
  const { repository: of } = await agency.runs.show(run.id)
  rmSync(of?.mirror as string, { recursive: true })
  expect(await agency.runResults.show(run.id, all)).toMatchObject({
    diff: null,
    diffFault: expect.stringMatching(/^git cannot read the changes any more: /) as string,
  })
})
