// @suite process

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { operator } from '../../../test/support/work.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { type Daemon, startDaemon } from '../../daemon/start.ts'
import { replayEvents } from '../../events/replay.ts'
import { eventTables } from '../../tables.ts'
import { listBaseline } from '../../work/evidence/store.ts'
import { CreateMission } from '../../work/missions/contract.ts'
import { CreateRun, type Run } from '../../work/runs/contract.ts'

let daemon: Daemon
const home = mkdtempSync(join(tmpdir(), 'agency-baseline-'))
beforeAll(async () => {
  const env = { AGENCY_HOME: home, PATH: process.env['PATH'], AGENCY_PORT: '0' }
  daemon = await startDaemon({ env, web: null })
})
afterAll(async () => {
  await daemon.stop()
  rmSync(home, { recursive: true, force: true })
})

const write = (path: string, text: string): StepInput => ({ write: { path, text } })
const report = (...outputs: string[]): StepInput => ({ report: { status: 'done', summary: 'Done.', outputs } })

/** Starts a run in the workspace of a mission that has a file already, and resolves to its end. */
async function play(evidence: object[], attempts: StepInput[][], more: object = {}) {
  const { missions, missionWorkspaces, runs } = daemon.agency
  const { id: missionId } = await missions.create(operator, CreateMission.parse({ title: 'An app' }))
  const { path: workspace, directory } = await missionWorkspaces.create(operator, { missionId })
  writeFileSync(join(directory, 'old.txt'), 'a text of some length\n')
  const input = { goal: 'Write it', missionId, workspace, evidence, runtime: 'scripted', ...more }
  const created = await runs.create(operator, CreateRun.parse({ runtimeOptions: { scenario: { attempts } }, ...input }))
  await expect
    .poll(async () => {
      const { gates } = await daemon.agency.gates.ofRun(created.id)
      for (const { id } of gates.filter(({ status }) => status === 'pending'))
        await daemon.agency.gates.approve(operator, { target: id })
      return (await runs.show(created.id)).endedAt
    })
    .not.toBeNull()
  return seen(await runs.show(created.id))
}

async function seen(run: Run) {
  const { briefs, attempts, gates } = await daemon.agency.runs.inspect(run.id, 1_000)
  const works = briefs.filter(({ kind }) => kind === 'work')
  const before = await daemon.db.read(async (tx) =>
    (await Promise.all(works.map(({ id }) => listBaseline(tx, id)))).flat(),
  )
  return {
    status: run.status,
    kinds: briefs.map(({ kind }) => kind),
    outcomes: attempts.map(({ outcome }) => outcome),
    gates: gates.map(({ gate }) => gate),
    odd: attempts.flatMap(({ odd }) => odd.map(({ text }) => text)),
    before: before.map(({ passed, detail }) => `${passed ? 'held' : 'did not hold'}: ${detail}`),
  }
}

it('gives work a verifier whose evidence held in its workspace before', async () => {
  const evidence = [{ kind: 'file', path: 'old.txt' }]
  expect(await play(evidence, [[write('new.txt', 'a line of some length'), report('new.txt')]])).toMatchObject({
    status: 'done',
    kinds: ['work', 'verify'],
    before: ['held: old.txt, 22 bytes'],
  })
})

it('lets a person accept such work where the operator wants no verifier', async () => {
  const played = await play([{ kind: 'file', path: 'old.txt' }], [[report()]], { verify: 'none' })
  expect(played).toMatchObject({ status: 'done', kinds: ['work'], gates: ['acceptance'] })
  expect(played.odd).toEqual(['No verifier has looked, and its evidence held before the work began'])
})

it('counts an output as new if its content is', async () => {
  const evidence = [{ kind: 'artifact', path: 'old.txt' }]
  expect(await play(evidence, [[write('old.txt', 'new'), report('old.txt')]])).toMatchObject({
    kinds: ['work'],
    before: ['did not hold: old.txt was another file'],
  })
  expect(await play(evidence, [[write('old.txt', 'a text of some length\n'), report('old.txt')]])).toMatchObject({
    kinds: ['work', 'verify'],
    before: ['held: old.txt was there'],
  })
  expect(await play([{ kind: 'artifact' }], [[report('old.txt')]])).toMatchObject({ kinds: ['work', 'verify'] })
})

it('does not take the work of an earlier attempt of the brief for evidence that held before', async () => {
  const evidence = [{ kind: 'file', path: 'new.txt' }]
  const played = await play(evidence, [[write('new.txt', 'new'), { crash: {} }], [report('new.txt')]])
  expect(played).toMatchObject({ status: 'done', kinds: ['work'], outcomes: ['crash', 'ok'] })
  expect(new Set(played.before.map((line) => line.split(':')[0]))).toEqual(new Set(['did not hold']))
})

it('takes the work of an earlier brief for it', async () => {
  const evidence = [{ kind: 'file', path: 'new.txt' }]
  const scenario = (...attempt: StepInput[]) => ({ scenario: { attempts: [attempt] } })
  const played = await play([], [], {
    briefs: [
      { key: 'one', objective: 'One', evidence, runtimeOptions: scenario(write('new.txt', 'new'), report('new.txt')) },
      { key: 'two', objective: 'Two', evidence, after: ['one'], runtimeOptions: scenario(report()) },
    ],
  })
  expect(played).toMatchObject({ status: 'done', kinds: ['work', 'work', 'verify'] })
})

it('leaves evidence with a command to its check', async () => {
  const evidence = [
    { kind: 'command', run: 'test -f old.txt' },
    { kind: 'file', path: 'old.txt' },
  ]
  expect(await play(evidence, [[report()]])).toMatchObject({ status: 'done', kinds: ['work'], before: [] })
})

it('changes no row without its event', async () => {
  expect((await replayEvents(daemon.db, eventTables)).differences).toEqual([])
})
