import { describe, expect, it } from 'vitest'

import { startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createScriptedRuntime } from '../../adapters/runtime/scripted/runtime.ts'
import type { Event } from '../../events/contract.ts'

const minute = 60_000
const river = [{ kind: 'file', path: 'poem.txt', contains: 'river' }] as const
const poem = (text: string): StepInput[] => [
  { write: { path: 'poem.txt', text } },
  { report: { status: 'done', summary: 'A poem.', outputs: ['poem.txt'] } },
]
const kinds = (events: readonly Event[]): string[] => events.map((event) => event.kind)
const ofKind = (events: readonly Event[], kind: Event['kind']): Event[] => events.filter((each) => each.kind === kind)

describeStores('a brief', (openFresh) => {
  it('goes from pending to done with one event for every step', async () => {
    const agency = await startAgency(openFresh)
    const started = await agency.run({ play: [[{ log: 'gate start' }, ...work]] })
    await agency.passed('attempt.started')
    expect(await agency.store.raw('SELECT state FROM agents')).toEqual([{ state: 'working' }])
    agency.gate('start').open()
    const run = await agency.settled(started)
    expect(run).toMatchObject({ status: 'done', briefsTotal: 1, briefsOpen: 0, briefsDone: 1, briefsFailed: 0 })
    const events = await agency.events(run)
    expect(events.map(({ kind, by, data }) => [kind, by, data['from'], data['to']])).toEqual([
      ['run_created', 'operator', undefined, undefined],
      ['brief_created', 'operator', undefined, 'pending'],
      ['run_status', 'operator', 'planning', 'planning'],
      ['run_status', 'operator', 'planning', 'running'],
      ['assigned', 'engine', 'pending', 'assigned'],
      ['spawned', 'engine', 'assigned', 'working'],
      ['reported', 'agent:1', undefined, undefined],
      ['turn_ended', 'engine', undefined, undefined],
      ['artifact_written', 'engine', undefined, undefined],
      ['evidence_checked', 'engine', undefined, undefined],
      ['ready_for_verification', 'engine', 'working', 'ready_for_verification'],
      ['completed', 'engine', 'ready_for_verification', 'verified'],
      ['session_complete', 'engine', 'verified', 'done'],
      ['run_status', 'engine', 'running', 'accepting'],
      ['run_status', 'engine', 'accepting', 'done'],
    ])
    const { briefs, attempts, evidence, artifacts } = await agency.inspect(run)
    expect(briefs).toMatchObject([{ status: 'done', attempts: 1, attemptId: attempts[0]?.id }])
    expect(attempts).toMatchObject([
      {
        status: 'ended',
        outcome: 'ok',
        detail: 'Done.',
        fence: 1,
        agentId: 1,
        worker: 'test:1',
        runtime: 'scripted',
        simulated: true,
        boxed: false,
        report: { status: 'done', summary: 'Done.', outputs: ['result.md'] },
        promptSha256: expect.stringMatching(/^[0-9a-f]{64}$/) as never,
      },
    ])
    expect(evidence).toMatchObject([{ kind: 'artifact', passed: true, attemptId: attempts[0]?.id }])
    expect(artifacts).toMatchObject([{ name: 'result.md', version: 1, bytes: 6 }])
    expect(await agency.store.raw('SELECT state, ended_at FROM agents')).toEqual([
      { state: 'ended', ended_at: agency.clock.at() },
    ])
  })

  it('with failed evidence is retried with corrections and passes once they are made', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run({ evidence: [...river], play: [poem('ocean'), poem('river')] }))
    expect(run.status).toBe('done')
    const { briefs, attempts, evidence, artifacts } = await agency.inspect(run)
    expect(attempts.map(({ fence, outcome, detail }) => [fence, outcome, detail])).toEqual([
      [1, 'bad_output', 'evidence 0/1: poem.txt does not contain "river"'],
      [2, 'ok', 'A poem.'],
    ])
    expect(briefs).toMatchObject([{ status: 'done', attempts: 2, retriesUsed: 1, crashRetries: 0 }])
    const [first, second] = attempts.map((attempt) => agency.prompts.get(attempt.id))
    expect(first).not.toContain('Failures of the last attempt')
    expect(second).toContain('## Failures of the last attempt\n\n- file poem.txt: poem.txt does not contain "river"\n')
    expect(second).toContain('attempt 2.')
    expect(evidence.map(({ attemptId, passed }) => [attemptId, passed])).toEqual(
      expect.arrayContaining([
        [attempts[0]?.id, false],
        [attempts[1]?.id, true],
      ]),
    )
    expect(artifacts.map(({ name, version }) => [name, version])).toEqual([
      ['poem.txt', 1],
      ['poem.txt', 2],
    ])
    const [retried] = ofKind(await agency.events(run), 'retried')
    expect(retried).toMatchObject({
      message: 'main ✗ evidence 0/1: poem.txt does not contain "river" (retry 1/3)',
      data: { from: 'working', to: 'pending', class: 'bad_output', used: 1, limit: 3 },
    })
  })

  it('with evidence that never passes is blocked after three retries, and fails with on_limit: fail', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run({ evidence: [...river], play: [poem('ocean')] }))
    expect(run).toMatchObject({
      status: 'failed',
      summary: '1 brief failed: main: evidence 0/1: poem.txt does not contain "river" (after 3 of 3 retries)',
      briefsFailed: 1,
      briefsOpen: 0,
    })
    expect(await agency.brief(run)).toMatchObject({ status: 'failed', attempts: 4, retriesUsed: 3, crashRetries: 0 })
    const events = await agency.events(run)
    expect(kinds(events).slice(-5)).toEqual(['turn_ended', 'evidence_checked', 'escalated', 'failed', 'run_status'])
    expect(ofKind(events, 'failed')).toMatchObject([
      {
        message: 'main ✗ evidence 0/1: poem.txt does not contain "river" (after 3 of 3 retries)',
        data: { from: 'blocked', to: 'failed' },
      },
    ])
    // The same bytes are one artifact, however often they are submitted.
    expect((await agency.inspect(run)).artifacts).toHaveLength(1)
  })

  it('that crashes is launched three more times, then fails with its run and its mission', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run({ play: [[{ crash: {} }]] }))
    expect(run).toMatchObject({
      status: 'failed',
      summary: '1 brief failed: main: killed by SIGSEGV (after 3 of 3 retries)',
    })
    const events = await agency.events(run)
    expect(ofKind(events, 'retried').map(({ message, data }) => [message, data['class'], data['used']])).toEqual([
      ['main ✗ killed by SIGSEGV (retry 1/3)', 'crash', 1],
      ['main ✗ killed by SIGSEGV (retry 2/3)', 'crash', 2],
      ['main ✗ killed by SIGSEGV (retry 3/3)', 'crash', 3],
    ])
    expect(ofKind(events, 'failed')).toMatchObject([
      { message: 'main ✗ killed by SIGSEGV (after 3 of 3 retries)', data: { from: 'working', to: 'failed' } },
    ])
    expect(await agency.brief(run)).toMatchObject({
      status: 'failed',
      attempts: 4,
      crashRetries: 3,
      retriesUsed: 0,
      failure: 'killed by SIGSEGV (after 3 of 3 retries)',
    })
    const mission = await agency.missions.show(run.missionId)
    expect(mission).toMatchObject({
      status: 'failed',
      outcomeSummary: '1 brief failed: main: killed by SIGSEGV (after 3 of 3 retries)',
    })
    expect(mission.passed.map((each) => each.status)).toEqual([
      'backlog',
      'planning',
      'assigned',
      'in_progress',
      'failed',
    ])
  })

  it('counts separately: a crash uses none of the retries for bad output', async () => {
    const agency = await startAgency(openFresh)
    const crash: StepInput[] = [{ exit: { code: 2 } }]
    const play = [crash, poem('ocean'), crash, poem('ocean'), crash, poem('river')]
    const run = await agency.settled(await agency.run({ evidence: [...river], play }))
    expect(run.status).toBe('done')
    expect(await agency.brief(run)).toMatchObject({ attempts: 6, crashRetries: 3, retriesUsed: 2, interruptions: 0 })
    expect(ofKind(await agency.events(run), 'retried').map((event) => event.message.match(/retry .*\)/)?.[0])).toEqual([
      'retry 1/3)',
      'retry 1/3)',
      'retry 2/3)',
      'retry 2/3)',
      'retry 3/3)',
    ])
  })

  it('has the limits of its run', async () => {
    const agency = await startAgency(openFresh)
    const crashing = await agency.settled(await agency.run({ play: [[{ crash: {} }]], crashRetries: 0 }))
    expect(await agency.brief(crashing)).toMatchObject({ status: 'failed', attempts: 1 })
    const lying = await agency.settled(
      await agency.run({ evidence: [...river], play: [poem('ocean')], retryBudget: 1 }),
    )
    expect(await agency.brief(lying)).toMatchObject({ status: 'failed', attempts: 2, retriesUsed: 1 })
  })

  it.each([
    ['exits with 0 and has not said a word', [{ say: 'Bye.' }], 'ended without a report'],
    [
      'reports what no report is, on its output',
      [{ raw_report: { body: { status: 'great', summary: 'x' }, via: 'stdout' } }],
      'the report is malformed: status: ',
    ],
    [
      'reports what no report is, to the API',
      [{ raw_report: { body: { status: 'great' } } }],
      'ended without a report',
    ],
    ['prints garbage', [{ garbage: { lines: 50 } }], 'ended without a report'],
  ] satisfies [string, StepInput[], string][])(
    'of an agent that %s is bad output and is retried',
    async (_, steps, detail) => {
      const agency = await startAgency(openFresh)
      const run = await agency.settled(await agency.run({ play: [steps, work] }))
      expect(run.status).toBe('done')
      const { attempts } = await agency.inspect(run)
      expect(attempts.map((attempt) => attempt.outcome)).toEqual(['bad_output', 'ok'])
      expect(attempts[0]?.detail).toContain(detail)
      expect(agency.prompts.get(attempts[1]?.id as string)).toContain(`- the report: ${detail}`)
      expect(await agency.brief(run)).toMatchObject({ retriesUsed: 1, crashRetries: 0 })
    },
  )

  it('with a blocked agent is escalated at once, and fails with on_limit: fail', async () => {
    const agency = await startAgency(openFresh)
    const play: StepInput[][] = [[{ report: { status: 'blocked', summary: 'No key for the door.' } }]]
    const run = await agency.settled(await agency.run({ play }))
    expect(run.status).toBe('failed')
    expect(await agency.brief(run)).toMatchObject({ status: 'failed', attempts: 1, failure: 'No key for the door.' })
    const events = await agency.events(run)
    expect(kinds(events).slice(-4)).toEqual(['turn_ended', 'escalated', 'failed', 'run_status'])
    expect(ofKind(events, 'escalated')).toMatchObject([
      { message: 'main is blocked: No key for the door.', data: { from: 'working', to: 'blocked' } },
    ])
  })

  it('counts tokens, and ignores absurd counts', async () => {
    const agency = await startAgency(openFresh)
    const usage = (input_tokens: number, output_tokens: number): StepInput => ({
      usage: { input_tokens, output_tokens },
    })
    const absurd = [usage(-5, 1), usage(1, -1), usage(0.5, 0), usage(1e300, 1), usage(1e9 + 1, 0), usage(1e9, 0)]
    const play = [[usage(10, 3), ...absurd, usage(5, 2), ...work]]
    const run = await agency.settled(await agency.run({ play }))
    expect(run).toMatchObject({ status: 'done', inputTokens: 15, outputTokens: 5 })
    const [attempt] = (await agency.inspect(run)).attempts
    expect(attempt).toMatchObject({ inputTokens: 15, outputTokens: 5 })
    expect(agency.outputs.get(attempt?.id as string)?.match(/ignored/g)).toHaveLength(absurd.length)
  })

  it('without declared evidence is checked by its outputs', async () => {
    const agency = await startAgency(openFresh)
    const boast: StepInput[] = [{ report: { status: 'done', summary: 'Trust me.', outputs: ['gone.md'] } }]
    const run = await agency.settled(await agency.run({ play: [boast, [{ report: { summary: 'Trust me.' } }], work] }))
    expect(run.status).toBe('done')
    expect((await agency.inspect(run)).attempts.map((attempt) => attempt.detail)).toEqual([
      expect.stringMatching(/^reported outputs: these are not delivered: "gone\.md"/),
      'evidence 0/1: the report names no output',
      'Done.',
    ])
  })

  it('runs its evidence commands, and reports that they were not boxed', async () => {
    const agency = await startAgency(openFresh)
    agency.workspaces.answer('test -s result.md', (files) => ({ exitCode: files.has('result.md') ? 0 : 1, output: '' }))
    const evidence = [{ kind: 'command' as const, run: 'test -s result.md' }]
    const run = await agency.settled(await agency.run({ evidence }))
    expect(run.status).toBe('done')
    expect((await agency.inspect(run)).evidence).toMatchObject([{ kind: 'command', passed: true, boxed: false }])
    expect(ofKind(await agency.events(run), 'evidence_checked')).toMatchObject([
      { code: 'EVIDENCE', message: 'main 1/1 ✓ (commands not boxed)', data: { passed: 1, total: 1, failed: [] } },
    ])
  })

  it('is not proven by a command without a sandbox', async () => {
    const scripted = createScriptedRuntime({ host: 'in-process' })
    const untrusted = { ...scripted, name: 'other', capabilities: { ...scripted.capabilities, evidenceUnboxed: false } }
    const agency = await startAgency(openFresh, { runtimes: [untrusted] })
    let ran = 0
    agency.workspaces.answer('true', () => ({ exitCode: ran++, output: '' }))
    const evidence = [{ kind: 'command' as const, run: 'true' }]
    const run = await agency.settled(await agency.run({ evidence, runtime: 'other', retryBudget: 0 }))
    expect(run.status).toBe('failed')
    expect(ran).toBe(0)
    expect((await agency.brief(run)).failure).toContain('not run: no sandbox is available')
  })

  describe('with an agent that never ends', () => {
    const hang: StepInput[] = [{ hang: {} }]

    it('is ended at the idle deadline, which counts as a crash', async () => {
      const agency = await startAgency(openFresh)
      const started = await agency.run({ play: [hang, work] })
      await agency.passed('attempt.started')
      agency.clock.advance(30 * minute)
      const run = await agency.settled(started)
      expect(run.status).toBe('done')
      expect((await agency.inspect(run)).attempts.map(({ outcome, detail }) => [outcome, detail])).toEqual([
        ['timeout', 'no output within the idle deadline'],
        ['ok', 'Done.'],
      ])
      expect(ofKind(await agency.events(run), 'retried')).toMatchObject([
        { message: 'main ✗ no output within the idle deadline (retry 1/3)', data: { class: 'crash', used: 1 } },
      ])
      expect(await agency.brief(run)).toMatchObject({ crashRetries: 1, retriesUsed: 0 })
    })

    it('is ended at the hard deadline, independent of its output', async () => {
      const agency = await startAgency(openFresh)
      const chatter = Array.from({ length: 100 }, (): StepInput[] => [
        { wait: { ms: 10 * minute } },
        { say: 'still here' },
      ])
      const started = await agency.run({ play: [chatter.flat()], crashRetries: 0 })
      await agency.passed('attempt.started')
      for (let minutes = 0; minutes < 240; minutes += 10) {
        expect(await agency.runs.show(started.id)).toMatchObject({ status: 'running' })
        agency.clock.advance(10 * minute)
        await new Promise((resolve) => setImmediate(resolve))
      }
      const run = await agency.settled(started)
      expect((await agency.inspect(run)).attempts).toMatchObject([
        { outcome: 'timeout', detail: 'the hard deadline has passed' },
      ])
    })

    it('is not ended while it calls the API, though it prints nothing', async () => {
      const agency = await startAgency(openFresh)
      const started = await agency.run({ play: [hang], crashRetries: 0 })
      await agency.passed('attempt.started')
      const [attempt] = (await agency.inspect(started)).attempts
      for (let word = 0; word < 5; word++) {
        agency.clock.advance(25 * minute)
        agency.engine.touch(attempt?.id as string)
      }
      expect(await agency.brief(started)).toMatchObject({ status: 'working' })
      agency.clock.advance(35 * minute)
      expect(await agency.settled(started)).toMatchObject({ status: 'failed' })
    })

    it('is never ended if the run has no deadlines', async () => {
      const agency = await startAgency(openFresh)
      const started = await agency.run({ play: [hang], idleMinutes: null, hardMinutes: null })
      await agency.passed('attempt.started')
      agency.clock.advance(100_000 * minute)
      await agency.engine.sweep()
      expect(await agency.brief(started)).toMatchObject({ status: 'working' })
    })
  })
})
