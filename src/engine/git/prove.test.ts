// @suite process

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished, vi } from 'vitest'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { openAgency, opened, startAgency, type StartRun, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import { isRunning } from '../../../test/support/processes.ts'
import { describeStores, type FreshStore } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { tiered } from '../../playbooks/tiered/decide.ts'
import type { Proof } from '../../work/proofs/contract.ts'
import { listProofs } from '../../work/proofs/store.ts'
import type { Question } from '../../work/questions/contract.ts'
import type { HostChecks } from '../../work/repository-settings/contract.ts'
import type { Run } from '../../work/runs/contract.ts'
import { defaultPolicy } from '../../workspaces/policy.ts'
import { checkoutName, checkoutsDirectory } from '../../workspaces/checkout.ts'

/** The directory of a proof, as a pattern of the shell: its name hides the id, whose beginning is always the same. */
const placeOfProof = `*/????????${checkoutName('prf_').slice(8)}*`

const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { summary: `wrote ${path}`, outputs: [path] } },
]

/** A check that each of two briefs passes alone: the numbers in the repository come to at most 10. */
const sumScript =
  'sum=0\nfor file in *.n; do sum=$((sum + $(cat "$file"))); done\necho "the sum is $sum"\ntest $sum -le 10\n'
const sum = { kind: 'command', run: 'sh sum.sh' } as const
const withSum = { 'sum.sh': sumScript, 'zero.n': '0\n' }

const brief = (key: string, steps: StepInput[], more: object = {}) => ({
  key,
  objective: `Write ${key}`,
  evidence: [sum],
  runtimeOptions: { scenario: { attempts: [steps] } },
  ...more,
})

/** Two briefs that are right on their own; their sum is 13. */
const seven = brief('a', writes('a.n', '7\n'))
const six = brief('b', writes('b.n', '6\n'))
/** Two briefs of which neither declares all evidence, so that no check of a brief proves their result. */
const twoWith = (command: object) => [
  brief('a', writes('a.n', '1\n'), { evidence: [command, { kind: 'file', path: 'a.n' }] }),
  brief('b', writes('b.n', '1\n'), { evidence: [command], after: ['a'] }),
]
/** The attempts of the repair play the run's own scenario. */
const repairs = (...attempts: StepInput[][]): StartRun => ({ play: attempts })

const gateOf = (agency: TestAgency, run: Run) =>
  agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find((gate) => gate.status === 'pending'))
const approve = (agency: TestAgency, run: Run) => agency.gates.approve(operator, { target: run.id, gate: 'merge' })
const questionOf = (agency: TestAgency, run: Run): Promise<Question> =>
  agency.until(async () => (await agency.inspect(run)).questions.find((each) => each.answeredAt === null))
const proofsOf = (agency: TestAgency, run: Run): Promise<Proof[]> => agency.db.read((tx) => listProofs(tx, run.id))

const startIn = (agency: TestAgency, repository: TestRepository, input: StartRun): Promise<Run> =>
  agency.run({ goal: 'Some numbers', repo: repository.path, ...input })

async function open(files: Record<string, string> = withSum, options: Parameters<typeof openAgency>[0] = {}) {
  const repository = makeRepository(files)
  const { repositories, workspaces, root } = openRepositories()
  const agency = await openAgency({ repositories, workspaces, defaults: { onLimit: 'ask' }, ...options })
  await agency.engine.start()
  return { repository, agency, root }
}

describeStores('the merged result', (openFresh) => {
  it('is proven before the gate opens', async () => {
    const repository = makeRepository(withSum)
    const { repositories, workspaces, root } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const run = await startIn(agency, repository, {
      briefs: [
        { ...brief('a', writes('a.n', '3\n')), evidence: [sum, { kind: 'file', path: 'a.n' }] },
        brief('b', writes('b.n', '4\n')),
      ],
    })
    const gate = await gateOf(agency, run)
    const { head } = await agency.runs.show(run.id)
    const text = `Evidence 2/2 holds on the merged result ${head?.slice(0, 12)} (fresh checkout, commands not boxed).`
    expect(gate.summary.produced).toContain(text)
    expect(anomaliesOf(gate)).toEqual([])
    const [proof, ...others] = await proofsOf(agency, run)
    expect(others).toEqual([])
    expect(proof).toMatchObject({ head, cause: 'merge', status: 'passed', checkedIn: 'checkout' })
    expect(proof?.findings.map(({ briefs }) => briefs)).toEqual([['a', 'b'], ['a']])
    expect((await agency.pullRequests.ofRun(run.id)).proof).toMatchObject({ head, status: 'passed', detail: text })
    expect(existsSync(join(root, 'workspaces', checkoutsDirectory, checkoutName(proof?.id ?? '')))).toBe(false)
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    const kinds = (await agency.events(run)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => ['proof_started', 'proof_ended', 'pr_opened', 'merged'].includes(kind))).toEqual([
      'proof_started',
      'proof_ended',
      'pr_opened',
      'merged',
    ])
  })

  it('of two honest briefs whose sum fails is repaired before the gate opens', async () => {
    const repository = makeRepository(withSum)
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const run = await startIn(agency, repository, { briefs: [seven, six], ...repairs(writes('b.n', '2\n')) })
    const gate = await gateOf(agency, run)
    expect(gate.summary.produced).toContain('The merged result was mended by repair-1.\nEvidence 1/1 holds')
    const [failed, passed] = await proofsOf(agency, run)
    expect([failed?.status, passed?.status]).toEqual(['failed', 'passed'])
    expect(failed?.findings).toMatchObject([{ briefs: ['a', 'b'], passed: false, output: 'the sum is 13\n' }])
    const repair = await agency.brief(run, 'repair-1')
    expect(repair).toMatchObject({ kind: 'work', repairs: failed?.id, startCommit: failed?.head, status: 'verified' })
    expect(repair.evidence).toMatchObject([sum])
    const prompt = agency.prompts.get(repair.attemptId as string)
    for (const text of ['$ sh sum.sh', 'the sum is 13', '- a: Write a', '- b: Write b']) expect(prompt).toContain(text)
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect([repository.read('a.n'), repository.read('b.n')]).toEqual(['7\n', '2\n'])
  })

  it.each(['proof.begun', 'proof.checked'] as const)('is proven again after a kill at %s', async (point) => {
    const repository = makeRepository(withSum)
    const { repositories, workspaces } = openRepositories()
    const agency: TestAgency & { store: FreshStore } = await startAgency(openFresh, {
      repositories,
      workspaces,
      mayLogErrors: true,
      chaosPoint: (reached) => {
        if (reached !== point) return
        agency.die()
        throw new Error('killed')
      },
    })
    const run = await startIn(agency, repository, { briefs: [brief('a', writes('a.n', '3\n'))] })
    await agency.passed(point)
    const next = await openAgency({ db: agency.store.db, clock: agency.clock, repositories, workspaces })
    await next.engine.start()
    await gateOf(next, run)
    expect(await proofsOf(next, run)).toMatchObject([{ status: 'passed' }])
    await approve(next, run)
    expect(await next.settled(run)).toMatchObject({ status: 'done' })
  })
})

describe('a failing proof', () => {
  it('shows that a later brief breaks the evidence of an earlier one', async () => {
    const { repository, agency } = await open({ 'a.txt': 'zero\n' })
    const contains = { kind: 'file', path: 'a.txt', contains: 'one' } as const
    const run = await startIn(agency, repository, {
      briefs: [
        brief('a', writes('a.txt', 'one\n'), { evidence: [contains] }),
        brief('b', writes('a.txt', 'two\n'), { evidence: [{ kind: 'file', path: 'a.txt' }], after: ['a'] }),
      ],
      ...repairs(writes('a.txt', 'one\ntwo\n')),
    })
    await gateOf(agency, run)
    const [failed] = await proofsOf(agency, run)
    expect(failed?.findings.filter(({ passed }) => !passed)).toMatchObject([{ evidence: contains, briefs: ['a'] }])
    expect((await agency.brief(run, 'repair-1')).evidence).toMatchObject([contains])
  })

  it('after a merge with new commits of the target lands nothing, and the repaired result is approved again', async () => {
    const { repository, agency } = await open()
    const run = await startIn(agency, repository, {
      briefs: [seven],
      ...repairs(writes('a.n', '4\n')),
    })
    await gateOf(agency, run)
    repository.write('mine.n', '6\n')
    const mine = repository.commit('Mine')
    await approve(agency, run)
    await agency.until(async () => (await agency.inspect(run)).briefs.some(({ key }) => key === 'repair-1'))
    const gate = await gateOf(agency, run)
    expect(repository.git('rev-parse', 'main')).toBe(mine)
    expect(gate.summary.produced).toContain('Evidence 1/1 holds')
    expect((await proofsOf(agency, run)).map(({ cause, status }) => `${cause} ${status}`)).toEqual([
      'merge passed',
      'landing failed',
      'merge passed',
    ])
    // The operator's own commits are not a part of the proposed changes.
    expect((await agency.pullRequests.ofRun(run.id)).files.map(({ path }) => path)).toEqual(['a.n'])
    expect((await agency.pullRequests.diff(run.id, undefined)).files.map(({ path }) => path)).toEqual(['a.n'])
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect([repository.read('a.n'), repository.read('mine.n')]).toEqual(['4\n', '6\n'])
  })

  it.each([[[sum]], [[{ kind: 'artifact' as const }]]])(
    'gives way to a target that never rests, with evidence %j',
    async (evidence) => {
      const repository = makeRepository(withSum)
      const { repositories, workspaces } = openRepositories()
      let moves = 0
      const agency = await openAgency({
        workspaces,
        repositories: {
          ...repositories,
          land: async (target, result) => {
            if (moves < 6) {
              repository.write(`mine-${moves}.txt`, 'mine\n')
              repository.commit(`Mine ${moves++}`)
            }
            return repositories.land(target, result)
          },
        },
      })
      await agency.engine.start()
      const run = await startIn(agency, repository, { briefs: [brief('a', writes('a.n', '1\n'), { evidence })] })
      const first = await gateOf(agency, run)
      await approve(agency, run)
      const again = await agency.until(async () =>
        (await agency.gates.ofRun(run.id)).gates.find(({ status, id }) => status === 'pending' && id !== first.id),
      )
      expect(anomaliesOf(again)).toEqual(['main changes faster than the result can be merged with it'])
      expect(moves).toBe(6)
      const landings = (await proofsOf(agency, run)).filter(({ cause }) => cause === 'landing')
      expect(landings).toHaveLength(evidence[0]?.kind === 'command' ? 5 : 0)
      agency.clock.advance(1_000)
      await approve(agency, run)
      expect(await agency.settled(run)).toMatchObject({ status: 'done' })
      expect(repository.git('ls-files').split('\n')).toContain('a.n')
    },
  )

  it('gives way to results of other runs as often as they land, without another approval', async () => {
    const { repository, agency } = await open()
    const keys = Array.from({ length: 8 }, (_, index) => `r${index}`)
    const runs: Run[] = []
    for (const key of keys)
      runs.push(await startIn(agency, repository, { briefs: [brief(key, writes(`${key}.n`, '1\n'))] }))
    for (const run of runs) await gateOf(agency, run)
    for (const run of runs) await approve(agency, run)
    for (const run of runs) {
      expect(await agency.settled(run)).toMatchObject({ status: 'done' })
      expect((await agency.gates.ofRun(run.id)).gates).toHaveLength(1)
    }
    for (const key of keys) expect(repository.git('ls-files').split('\n')).toContain(`${key}.n`)
  })

  it('asks after two repairs; the operator may open the gate, which shows it', async () => {
    const { repository, agency } = await open()
    // It holds wherever an agent's work is checked, and never where the result is.
    const neverMerged = {
      kind: 'command',
      run: `case "$PWD" in ${placeOfProof}) echo broken; exit 1;; esac`,
    } as const
    const run = await startIn(agency, repository, {
      briefs: twoWith(neverMerged),
      ...repairs(writes('c.n', '1\n')),
    })
    const asked = await questionOf(agency, run)
    expect(asked).toMatchObject({ class: 'merge', briefId: null, recommendation: 'repair' })
    expect(asked.options.map(({ key }) => key)).toEqual(['repair', 'open', 'abandon'])
    expect(asked.text).toContain('evidence 1/2 holds on the merged result')
    expect(asked.context).toContain('broken')
    const keys = (await agency.inspect(run)).briefs.map(({ key }) => key)
    expect(keys).toEqual(['a', 'b', 'repair-1', 'repair-2'])
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running', heldBy: `question:${asked.id}` })
    await agency.questions.answer(operator, asked.id, 'start over from the first commit')
    const again = await agency.until(async () => {
      const question = (await agency.inspect(run)).questions.find((each) => each.answeredAt === null)
      return question?.id === asked.id ? undefined : question
    })
    const third = await agency.brief(run, 'repair-3')
    expect(third.guidance).toMatchObject([{ answer: 'start over from the first commit' }])
    await agency.questions.answer(operator, again.id, 'open')
    const gate = await gateOf(agency, run)
    const unproven = expect.stringContaining('Not proven: evidence 1/2 holds')
    expect(anomaliesOf(gate)).toEqual([unproven])
    expect(gate.summary.produced).toContain('The merged result contains repair-1, repair-2, repair-3.')
    // A gate that opens again, because another git holds the lock, does not hide it.
    const lock = join(repository.path, '.git', 'index.lock')
    writeFileSync(lock, '')
    await approve(agency, run)
    await agency.until(async () => (await agency.events(run)).some(({ message }) => message.includes('tried again')))
    await agency.pass(0)
    await agency.pass(10 * 60_000)
    const refused = await agency.until(async () =>
      (await agency.gates.ofRun(run.id)).gates.find(({ status, id }) => status === 'pending' && id !== gate.id),
    )
    expect(anomaliesOf(refused)).toEqual([expect.stringContaining('index.lock'), unproven])
    // A landing that meets the lock for a moment is tried again, without another approval.
    await approve(agency, run)
    await agency.until(async () => {
      const told = (await agency.events(run)).filter(({ message }) => message.includes('tried again'))
      return told.length === 2
    })
    await agency.pass(0)
    rmSync(lock)
    await agency.pass(1_000)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'done' })
  })

  it('ends the run if the operator gives up, or is not asked at all', async () => {
    const { repository, agency } = await open()
    const never = { kind: 'command', run: `case "$PWD" in ${placeOfProof}) exit 1;; esac` } as const
    const input = {
      briefs: twoWith(never),
      ...repairs(writes('c.n', '1\n')),
    }
    const asking = await startIn(agency, repository, input)
    await agency.questions.answer(operator, (await questionOf(agency, asking)).id, 'abandon')
    expect(await agency.settled(asking)).toMatchObject({ status: 'failed' })
    const failing = await startIn(agency, repository, { ...input, onLimit: 'fail' })
    const ended = await agency.settled(failing)
    expect(ended).toMatchObject({
      status: 'failed',
      summary: expect.stringContaining('the merged result does not hold'),
    })
    expect(repository.git('log', '--oneline').split('\n')).toHaveLength(1)
  })

  it('of a paused run opens its gate when the run is resumed, if the operator wants that', async () => {
    const { repository, agency } = await open()
    const never = { kind: 'command', run: `case "$PWD" in ${placeOfProof}) exit 1;; esac` } as const
    const run = await startIn(agency, repository, { briefs: twoWith(never), ...repairs(writes('c.n', '1\n')) })
    const asked = await questionOf(agency, run)
    await agency.gates.pause(operator, run.id, undefined)
    await agency.questions.answer(operator, asked.id, 'open')
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'paused' })
    await agency.gates.resume(operator, run.id)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'accepting' })
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
  })

  it('of a run that was paused during its repair leaves the pause as the reason why the run waits', async () => {
    const { repository, agency } = await open()
    const late = [{ log: 'gate late' }, ...writes('b.n', '2\n')]
    const run = await startIn(agency, repository, { briefs: [seven, six], ...repairs(late) })
    await agency.until(async () =>
      (await agency.inspect(run)).briefs.some(({ key, status }) => key === 'repair-1' && status === 'working'),
    )
    await agency.gates.pause(operator, run.id, undefined)
    const { heldBy } = await agency.runs.show(run.id)
    agency.gate('late').open()
    await agency.until(async () => (await proofsOf(agency, run))[1]?.status === 'passed')
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'paused', heldBy })
    await agency.gates.resume(operator, run.id)
    expect((await gateOf(agency, run)).gate).toBe('merge')
  })

  it('asks about a repair that fails its own evidence, and continues with the answer', async () => {
    const { repository, agency } = await open()
    const run = await startIn(agency, repository, {
      briefs: [seven, six],
      retryBudget: 0,
      ...repairs(writes('b.n', '5\n'), writes('b.n', '3\n')),
    })
    const asked = await questionOf(agency, run)
    expect(asked).toMatchObject({ class: 'bad_output', briefId: (await agency.brief(run, 'repair-1')).id })
    await agency.questions.answer(operator, asked.id, 'retry')
    await gateOf(agency, run)
    expect((await proofsOf(agency, run)).map(({ status }) => status)).toEqual(['failed', 'passed'])
  })

  it('lets a verifier judge the repair where the run wants one', async () => {
    const { repository, agency } = await open()
    const attempts = [writes('b.n', '2\n'), writes('b.n', '1\n')]
    const verdict = (pass: boolean) => ({
      verdict: pass ? 'pass' : 'fail',
      checked: pass ? opened('b.n') : [],
      issues: pass ? [] : ['make it one'],
    })
    const run = await startIn(agency, repository, {
      briefs: [seven, six].map((each) => ({ ...each, verify: 'none' as const })),
      verify: 'all',
      runtimeOptions: {
        scenario: {
          attempts,
          verify: [[{ report: { verdict: verdict(false) } }], [{ report: { verdict: verdict(true) } }]],
        },
      },
    })
    await gateOf(agency, run)
    expect(await agency.brief(run, 'repair-1')).toMatchObject({ status: 'verified', verificationFailures: 1 })
  })

  it('leaves the issues of a verifier for the repair that continues after an answer', async () => {
    const { repository, agency } = await open()
    const refused = { verdict: 'fail', issues: ['make it one'] }
    const run = await startIn(agency, repository, {
      briefs: [seven, six].map((each) => ({ ...each, verify: 'none' as const })),
      verify: 'all',
      verificationLimit: 0,
      runtimeOptions: {
        scenario: { attempts: [writes('b.n', '2\n')], verify: [[{ report: { verdict: refused } }]] },
      },
    })
    await questionOf(agency, run)
    expect(await agency.brief(run, 'repair-1')).toMatchObject({
      status: 'blocked',
      corrections: [{ evidence: 'the verifier', detail: 'make it one' }],
    })
  })

  it('is asked about if the operator cancels the repair', async () => {
    const { repository, agency } = await open()
    const run = await startIn(agency, repository, {
      briefs: [seven, six],
      ...repairs([{ report: { status: 'blocked', question: { text: 'How?' } } }]),
    })
    await questionOf(agency, run)
    await agency.briefs.update(operator, (await agency.brief(run, 'repair-1')).id, 'cancelled', undefined)
    expect(await questionOf(agency, run)).toMatchObject({ class: 'merge', text: expect.stringContaining('cancelled') })
  })

  it('is asked about in a paused run too, and the pause stays the reason why the run waits', async () => {
    const { repository, agency } = await open()
    const run = await startIn(agency, repository, {
      briefs: [seven, six],
      ...repairs([{ report: { status: 'blocked', question: { text: 'How?' } } }]),
    })
    await questionOf(agency, run)
    await agency.gates.pause(operator, run.id, undefined)
    const { heldBy } = await agency.runs.show(run.id)
    await agency.briefs.update(operator, (await agency.brief(run, 'repair-1')).id, 'cancelled', undefined)
    const asked = await questionOf(agency, run)
    expect(asked).toMatchObject({ class: 'merge', briefId: null })
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'paused', heldBy })
    await agency.questions.answer(operator, asked.id, 'open')
    await agency.gates.resume(operator, run.id)
    expect((await gateOf(agency, run)).gate).toBe('merge')
  })

  it('is made again if the operator cancels the rest of a repair that was done in part', async () => {
    const { repository, agency } = await open()
    const run = await startIn(agency, repository, {
      briefs: [seven, six],
      ...repairs(
        [
          { write: { path: 'b.n', text: '2\n' } },
          { report: { status: 'partial', summary: 'Made b smaller.', outputs: ['b.n'], remaining: 'a' } },
        ],
        [{ report: { status: 'blocked', question: { text: 'How?' } } }],
      ),
    })
    await questionOf(agency, run)
    await agency.briefs.update(operator, (await agency.brief(run, 'repair-1:rest:1')).id, 'cancelled', undefined)
    expect((await gateOf(agency, run)).summary.produced).toContain('Evidence 1/1 holds')
    expect((await proofsOf(agency, run)).map(({ status }) => status)).toEqual(['failed', 'passed'])
  })
})

describe('a proof under way', () => {
  /** A check that passes for each brief alone, and never ends for both of them together. */
  const endless = (folder: string) =>
    ({
      kind: 'command',
      run: `if test -f a.n && test -f b.n; then echo $$ > ${folder}/pid; while test ! -f ${folder}/free; do sleep 0.1; done; fi`,
      timeoutSeconds: 900,
    }) as const

  async function hang(options: Parameters<typeof openAgency>[0] = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'agency-proof-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const opened = await open(withSum, options)
    const evidence = [endless(folder)]
    const run = await startIn(opened.agency, opened.repository, {
      briefs: [brief('a', writes('a.n', '1\n'), { evidence }), brief('b', writes('b.n', '1\n'), { evidence })],
    })
    const pid = await eventually(() => existsSync(join(folder, 'pid')) && Number(readFileSync(join(folder, 'pid'))))
    return { ...opened, run, pid, free: () => writeFileSync(join(folder, 'free'), '') }
  }

  it('holds the run, and ends with its commands when the run is cancelled', async () => {
    const { agency, run, pid, root } = await hang()
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running', heldBy: 'proof' })
    expect(isRunning(pid)).toBe(true)
    await agency.runs.cancel(operator, run.id, undefined)
    await eventually(() => !isRunning(pid))
    const [proof] = await proofsOf(agency, run)
    expect(proof).toMatchObject({ status: 'cancelled', detail: 'the run has ended' })
    await eventually(() => !existsSync(join(root, 'workspaces', checkoutsDirectory, checkoutName(proof?.id ?? ''))))
  })

  it('ends with its commands at the next sweep when another process has cancelled the run', async () => {
    const { agency, run, pid } = await hang()
    const other = await openAgency({ db: agency.db, clock: agency.clock, worker: 'other:1' })
    await other.runs.cancel(operator, run.id, undefined)
    expect(isRunning(pid)).toBe(true)
    await agency.engine.sweep()
    await eventually(() => !isRunning(pid))
  })

  it('ends with its commands when everything is stopped, and begins again afterwards', async () => {
    const { agency, run, pid, free } = await hang()
    await agency.stops.set(operator, undefined, 'wait')
    await eventually(() => !isRunning(pid))
    expect(await proofsOf(agency, run)).toMatchObject([{ status: 'waiting' }])
    free()
    await agency.pass(10_000)
    expect(await proofsOf(agency, run)).toMatchObject([{ status: 'waiting' }])
    await agency.stops.clear(operator, undefined)
    await agency.pass(10_000)
    expect((await gateOf(agency, run)).gate).toBe('merge')
  })

  it('ends with its commands when the daemon stops, and begins again with the next one', async () => {
    const { repositories, workspaces } = openRepositories()
    const { agency, run, pid, free } = await hang({ repositories, workspaces })
    await agency.engine.stop()
    expect(isRunning(pid)).toBe(false)
    expect(await proofsOf(agency, run)).toMatchObject([{ status: 'waiting' }])
    // A stop is no failed try, of which only a few are made.
    await expect(agency.engine.prove(run.id, 0)).rejects.toMatchObject({ code: 'stopping' })
    free()
    const next = await openAgency({ db: agency.db, clock: agency.clock, repositories, workspaces })
    await next.engine.start()
    await next.pass(10_000)
    expect((await gateOf(next, run)).gate).toBe('merge')
  })

  it('opens no gate in a run that was paused meanwhile, until it is resumed', async () => {
    const { agency, run, free } = await hang()
    await agency.gates.pause(operator, run.id, undefined)
    free()
    await agency.until(async () => (await proofsOf(agency, run))[0]?.status === 'passed')
    const pending = async () => (await agency.gates.ofRun(run.id)).gates.filter(({ status }) => status === 'pending')
    expect((await pending()).map(({ gate }) => gate)).toEqual(['manual'])
    await agency.gates.resume(operator, run.id)
    expect((await pending()).map(({ gate }) => gate)).toEqual(['merge'])
    expect(await proofsOf(agency, run)).toHaveLength(1)
  })

  it('of a run that was resumed before its end is not begun a second time', async () => {
    const { agency, run, free } = await hang()
    await agency.gates.pause(operator, run.id, undefined)
    await agency.gates.resume(operator, run.id)
    expect(await agency.runs.show(run.id)).toMatchObject({ status: 'running', heldBy: 'proof' })
    free()
    expect((await gateOf(agency, run)).gate).toBe('merge')
    expect(await proofsOf(agency, run)).toHaveLength(1)
  })

  it('is not begun a second time although the clock was set back since the one before it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agency-proof-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { repository, agency } = await open({ 'a.txt': 'zero\n' })
    // The first proof fails because b replaces the text of a. The proof of the repaired result, which is checked after
    // the repair itself, waits.
    const run = `if grep -q one a.txt && grep -q two a.txt; then echo >> ${folder}/begun; fi; while test "$(wc -l < ${folder}/begun)" = 2 && test ! -f ${folder}/free; do sleep 0.1; done`
    writeFileSync(join(folder, 'begun'), '')
    const started = await startIn(agency, repository, {
      briefs: [
        brief('a', writes('a.txt', 'one\n'), { evidence: [{ kind: 'file', path: 'a.txt', contains: 'one' }] }),
        brief('b', writes('a.txt', 'two\n'), {
          evidence: [
            { kind: 'command', run },
            { kind: 'file', path: 'a.txt' },
          ],
          after: ['a'],
        }),
      ],
      ...repairs([{ log: 'gate repair' }, ...writes('a.txt', 'one\ntwo\n')]),
    })
    await agency.until(async () => (await proofsOf(agency, started))[0]?.status === 'failed')
    agency.clock.jump(-3_600_000)
    agency.gate('repair').open()
    await eventually(() => readFileSync(join(folder, 'begun')).length === 2)
    await agency.gates.pause(operator, started.id, undefined)
    await agency.gates.resume(operator, started.id)
    writeFileSync(join(folder, 'free'), '')
    expect((await gateOf(agency, started)).gate).toBe('merge')
    expect(await proofsOf(agency, started)).toHaveLength(2)
  })
})

describe('a result', () => {
  it('that cannot be checked is looked at again, and then asked about', async () => {
    const repository = makeRepository(withSum)
    const { repositories, workspaces } = openRepositories()
    let failing = true
    const agency = await openAgency({
      repositories,
      defaults: { onLimit: 'ask' },
      workspaces: {
        ...workspaces,
        checkout: async (request) => {
          if (failing && request.id.startsWith('prf_')) throw new Error('no space left on device')
          return workspaces.checkout(request)
        },
      },
    })
    await agency.engine.start()
    const run = await startIn(agency, repository, { briefs: twoWith(sum) })
    await agency.passed('proof.begun')
    await agency.pass(120_000)
    const asked = await questionOf(agency, run)
    expect(asked).toMatchObject({ class: 'fault', text: expect.stringContaining('no space left on device') })
    expect(asked.options.map(({ key }) => key)).toEqual(['retry', 'repair', 'open', 'abandon'])
    expect((await agency.inspect(run)).briefs.map(({ key }) => key)).toEqual(['a', 'b'])
    failing = false
    await agency.questions.answer(operator, asked.id, 'retry')
    await gateOf(agency, run)
    expect((await proofsOf(agency, run)).map(({ status }) => status)).toEqual(['unchecked', 'passed'])
  })

  it('whose setup fails is repaired if the operator wants that, by a brief that names the failure', async () => {
    const { repository, agency } = await open({ 'README.md': '# A\n' })
    const setup = 'if test -f a.n && test -f b.n; then echo both of them; exit 3; fi'
    await agency.repositorySettings.set(operator, { path: repository.path, setup })
    const evidence = [{ kind: 'command', run: 'true' }]
    const run = await startIn(agency, repository, {
      briefs: [brief('a', writes('a.n', '1\n'), { evidence }), brief('b', writes('b.n', '1\n'), { evidence })],
      ...repairs([{ run: 'rm b.n' }, ...writes('c.n', '1\n')]),
    })
    await agency.passed('proof.begun')
    await agency.pass(120_000)
    await agency.questions.answer(operator, (await questionOf(agency, run)).id, 'repair')
    expect((await gateOf(agency, run)).summary.produced).toContain('Evidence 1/1 holds')
    const repair = await agency.brief(run, 'repair-1')
    expect(repair.objective).toContain('could not be checked')
    expect(agency.prompts.get(repair.attemptId as string)).toContain('failed: exit code 3: both of them')
    const created = (await agency.events(run)).find(
      ({ kind, briefId }) => kind === 'brief_created' && briefId === repair.id,
    )
    expect(created?.message).toMatch(/^repair-1: the merged result \w+ could not be checked: the setup/)
  })

  it('of a repository that is checked in the agents’ workspaces is proven in a copy of one, and its gate says so', async () => {
    const { repository, agency } = await open({ ...withSum, '.gitignore': 'untracked\n' })
    await agency.repositorySettings.set(operator, { path: repository.path, checks: 'workspace' })
    const evidence = [
      sum,
      { kind: 'command' as const, run: `case "$PWD" in ${placeOfProof}) test -f untracked;; esac` },
    ]
    const untracked: StepInput = { run: 'touch untracked' }
    const run = await startIn(agency, repository, {
      briefs: [
        brief('a', [untracked, ...writes('a.n', '3\n')], { evidence }),
        brief('b', [untracked, ...writes('b.n', '9\n')], { evidence }),
      ],
      ...repairs([untracked, ...writes('b.n', '4\n')]),
    })
    const gate = await gateOf(agency, run)
    expect(gate.summary.produced).toContain('(checked in the agent’s workspace, commands not boxed)')
    expect((await proofsOf(agency, run)).map(({ status, checkedIn }) => [status, checkedIn])).toEqual([
      ['failed', 'workspace'],
      ['passed', 'workspace'],
    ])
  })

  describe('of a repository with commands on the host', () => {
    const onHost = 'test -f a.n'
    const commands = twoWith({ kind: 'command', run: onHost })

    it('could not be checked if the setup of these commands fails', async () => {
      const hostChecks = new Map<string, HostChecks>()
      const { repository, agency } = await open(withSum, { hostChecks })
      hostChecks.set(repository.path, { commands: [onHost], setup: `case "$PWD" in ${placeOfProof}) exit 1;; esac` })
      const run = await startIn(agency, repository, { briefs: commands })
      await agency.passed('proof.begun')
      await agency.pass(120_000)
      expect(await questionOf(agency, run)).toMatchObject({
        class: 'fault',
        text: expect.stringContaining('the setup'),
      })
      expect((await agency.inspect(run)).briefs.map(({ key }) => key)).toEqual(['a', 'b'])
    })

    it('is proven in a fresh checkout, as its briefs are, whatever was chosen before', async () => {
      const hostChecks = new Map<string, HostChecks>()
      const { repository, agency } = await open({ ...withSum, '.gitignore': 'untracked\n' }, { hostChecks })
      await agency.repositorySettings.set(operator, { path: repository.path, checks: 'workspace' })
      hostChecks.set(repository.path, { commands: [onHost], setup: null })
      const untracked: StepInput = { run: 'touch untracked' }
      const clean = { kind: 'command', run: 'test ! -f untracked' } as const
      const evidence = [{ kind: 'command', run: onHost }, clean]
      const run = await startIn(agency, repository, {
        briefs: [
          brief('a', [untracked, ...writes('a.n', '1\n')], { evidence: [...evidence, { kind: 'file', path: 'a.n' }] }),
          brief('b', [untracked, ...writes('b.n', '1\n')], { evidence, after: ['a'] }),
        ],
      })
      await gateOf(agency, run)
      expect(await proofsOf(agency, run)).toMatchObject([{ status: 'passed', checkedIn: 'host' }])
    })
  })

  it('is checked within the largest limits of its briefs', async () => {
    const { repositories, workspaces } = openRepositories()
    const limits: unknown[] = []
    const { repository, agency } = await open(withSum, {
      repositories,
      workspaces: {
        ...workspaces,
        checkout: (request) => {
          if (request.id.startsWith('prf_')) limits.push(request.policy?.limits)
          return workspaces.checkout(request)
        },
      },
      policyOf: (_, { key }) => defaultPolicy(key === 'a' ? 'program' : 'claude-code'),
    })
    await gateOf(agency, await startIn(agency, repository, { briefs: twoWith(sum) }))
    expect(limits).toEqual([defaultPolicy('claude-code').limits])
  })

  it('without checkable evidence is not proven, and its gate says so', async () => {
    const { repository, agency } = await open()
    const run = await startIn(agency, repository, {
      briefs: [brief('a', writes('a.n', '3\n'), { evidence: [{ kind: 'artifact', path: 'a.n' }, { kind: 'git' }] })],
    })
    const gate = await gateOf(agency, run)
    expect(gate.summary.produced).toContain('Not proven as a whole')
    expect(await proofsOf(agency, run)).toEqual([])
    repository.write('mine.n', '60\n')
    repository.commit('Mine')
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect(repository.read('mine.n')).toBe('60\n')
  })

  it('is proven again after a rejection, with the repair still in it', async () => {
    const { repository, agency } = await open()
    const again = { scenario: { attempts: [writes('b.n', '6\n'), writes('c.n', '1\n')] } }
    const run = await startIn(agency, repository, {
      briefs: [seven, { ...six, runtimeOptions: again }],
      ...repairs(writes('b.n', '2\n')),
    })
    const first = await gateOf(agency, run)
    await agency.gates.reject(operator, { target: run.id, reason: 'c is missing' })
    const second = await agency.until(async () =>
      (await agency.gates.ofRun(run.id)).gates.find(({ status, id }) => status === 'pending' && id !== first.id),
    )
    expect(second.gate).toBe('merge')
    expect(await agency.brief(run, 'repair-1')).toMatchObject({ attempts: 1, status: 'verified' })
    expect((await proofsOf(agency, run)).map(({ status }) => status)).toEqual(['failed', 'passed', 'passed'])
    await approve(agency, run)
    await agency.settled(run)
    expect([repository.read('b.n'), repository.read('c.n')]).toEqual(['2\n', '1\n'])
  })
})

describe('the merged result of a tiered run', () => {
  const workstream = (id: string) => ({
    id,
    name: `Part ${id}`,
    domain: 'numbers',
    tier_path: ['t4', 't5'],
    parallel_group: 'A',
    t2_specialist: null,
    notes: '',
    evidence_required: [{ kind: 'file', path: `${id}.n` }],
  })
  const plan = {
    run_id: '{{inputs.run_id}}',
    goal_anchor: '{{inputs.goal_anchor}}',
    complexity: 'low',
    retry_budget_multiplier: 1,
    workstreams: ['a', 'b'].map(workstream),
    parallelism: { groups: { A: ['a', 'b'] }, sequence: ['A'] },
    self_critique_summary: 'It stands.',
  }

  /** Each workstream begins before the other is merged. */
  async function toTheProof(phases: Record<string, unknown>, options: Parameters<typeof openAgency>[0] = {}) {
    const { repositories, workspaces } = openRepositories()
    const bothPassed = Promise.withResolvers<void>()
    const { repository, agency } = await open(withSum, {
      workspaces,
      repositories: {
        ...repositories,
        merge: async (branch) => {
          await bothPassed.promise
          return repositories.merge(branch)
        },
      },
      ...options,
    })
    const run = await startIn(agency, repository, {
      playbook: 'tiered',
      evidence: [sum],
      runtimeOptions: {
        scenario: {
          phases: {
            t1_plan: { steps: [{ report: { output: plan } }] },
            t1_critique: { steps: [{ report: { output: plan } }] },
            't4:a': { steps: writes('a.n', '7\n') },
            't4:b': { steps: writes('b.n', '6\n') },
            ...phases,
          },
        },
      },
    })
    await agency.gates.approve(operator, { target: run.id, gate: (await gateOf(agency, run)).gate })
    await agency.until(async () => {
      const { briefs } = await agency.inspect(run)
      return briefs.filter(({ phase, heldBy }) => phase === 't4' && heldBy === 'merge').length === 2
    })
    bothPassed.resolve()
    return { repository, agency, run }
  }

  it('is repaired past the playbook, and judged like its other work', async () => {
    const seen: string[] = []
    const watched: Playbook = {
      ...tiered,
      decide: (view, event) => {
        if ('brief' in event) seen.push(event.brief.key)
        return tiered.decide(view, event)
      },
    }
    const { repository, agency, run } = await toTheProof(
      { t4: { steps: writes('b.n', '2\n') } },
      { playbooks: [watched] },
    )
    const gate = await gateOf(agency, run)
    expect(gate.gate).toBe('merge')
    expect(gate.summary.produced).toContain('T1 accepts the result')
    expect(gate.summary.produced).toContain('Evidence 3/3 holds')
    const repair = await agency.brief(run, 'repair-1')
    expect(repair).toMatchObject({ capKey: 't4', phase: 't4', part: null, groupKey: null, status: 'verified' })
    const { verdicts } = await agency.inspect(run)
    expect(verdicts.filter(({ briefId }) => briefId === repair.id)).toMatchObject([{ verdict: 'pass' }])
    expect(seen.filter((key) => key.includes('repair'))).toEqual([])
    expect(seen.length).toBeGreaterThan(0)
    expect((await agency.pullRequests.ofRun(run.id)).body).toContain(`## Repairs\n\n- repair-1: ${repair.title}`)
    await approve(agency, run)
    expect(await agency.settled(run)).toMatchObject({ status: 'done' })
    expect([repository.read('a.n'), repository.read('b.n')]).toEqual(['7\n', '2\n'])
  })

  it('is asked about if its repair crashes for good, and is repaired after the answer', async () => {
    const { agency, run } = await toTheProof({
      t4: {
        attempts: [[{ crash: {} }], [{ crash: {} }], [{ crash: {} }], [{ crash: {} }], writes('b.n', '2\n')],
      },
    })
    const asked = await questionOf(agency, run)
    expect(asked).toMatchObject({ class: 'crash', briefId: (await agency.brief(run, 'repair-1')).id })
    await agency.questions.answer(operator, asked.id, 'retry')
    expect((await gateOf(agency, run)).gate).toBe('merge')
  })
})

const eventually = <T>(look: () => T | false): Promise<T> =>
  vi.waitUntil(look, { timeout: 40_000, interval: 25 }) as Promise<T>

/** The commands of these tests hold before the work too, and no verifier looks: the gate names that beside the rest. */
const anomaliesOf = ({ summary }: { summary: { anomalies: readonly string[] } }): string[] =>
  summary.anomalies.filter((line) => !line.includes('held before the work began'))
