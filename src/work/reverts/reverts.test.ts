// @suite process

import { expect, it } from 'vitest'

import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { openAgency, startAgency, type TestAgency } from '../../../test/support/agency.ts'
import { makeRepository, openRepositories, type TestRepository } from '../../../test/support/repository.ts'
import { describeStores, type OpenFresh } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { GateView } from '../gates/contract.ts'
import type { Run } from '../runs/contract.ts'

const writes = (path: string, text: string): StepInput[] => [
  { write: { path, text } },
  { report: { status: 'done', summary: `wrote ${path}`, outputs: [path] } },
]

const gateOf = (agency: TestAgency, run: Run): Promise<GateView> =>
  agency.until(async () => (await agency.gates.ofRun(run.id)).gates.find((gate) => gate.status === 'pending'))

async function land(agency: TestAgency, run: Run): Promise<Run> {
  await gateOf(agency, run)
  await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
  return agency.settled(run)
}

/** Lands a run that writes a second line into a file of one line. */
async function landed(openFresh: OpenFresh, command?: string) {
  const repository = makeRepository({ 'poem.txt': 'a river\n', 'other.txt': 'one\n' })
  const { repositories, workspaces } = openRepositories()
  const agency = await startAgency(openFresh, { repositories, workspaces })
  const run = await agency.run({
    goal: 'Add a sea',
    readable: ['/usr/share'],
    repo: repository.path,
    evidence: [
      { kind: 'command', run: 'grep -q sea poem.txt' },
      { kind: 'file', path: 'other.txt' },
    ],
    play:
      command === undefined
        ? [writes('poem.txt', 'a river\na sea\n'), writes('poem.txt', 'a river, by hand\n')]
        : [[{ run: command }, { report: { status: 'done', summary: 'Ready.', outputs: [] } }]],
  })
  expect((await land(agency, run)).status).toBe('done')
  return { agency, run, repository, repositories, workspaces }
}

const operatorCommits = (repository: TestRepository, path: string, text: string): string => {
  repository.write(path, text)
  return repository.commit(`Change ${path}`)
}

describeStores('the revert of a landed result', (openFresh) => {
  it('is a pull request that takes back exactly its changes, and keeps later commits', async () => {
    const { agency, run, repository } = await landed(openFresh)
    const merged = repository.git('rev-parse', 'main')
    const later = operatorCommits(repository, 'other.txt', 'two\n')
    const revert = await agency.reverts.start(operator, run.id)
    expect(revert).toMatchObject({
      playbook: 'direct',
      // An agent that resolves a conflict, or answers a rejection, needs the files that the first one had.
      configuration: { reverts: { runId: run.id, commit: merged }, readable: ['/usr/share'] },
    })
    const gate = await gateOf(agency, revert)
    expect(gate).toMatchObject({ gate: 'merge' })
    expect(gate.summary.produced).toContain(`Takes back what ${run.id} merged as ${merged.slice(0, 12)}`)
    expect(gate.summary.anomalies.join('\n')).toMatch(/Without the result, evidence 1\/2 holds .*grep -q sea poem.txt/)
    expect(repository.git('rev-parse', 'main')).toBe(later)
    const pullRequest = await agency.pullRequests.ofRun(revert.id)
    expect(pullRequest).toMatchObject({ title: 'Revert "Add a sea"', files: [{ path: 'poem.txt' }], status: 'open' })
    expect(pullRequest.body).toContain(`Takes back what ${run.id} merged into main as ${merged.slice(0, 12)}`)
    expect((await agency.pullRequests.diff(revert.id, undefined)).text).toContain('-a sea')
    expect((await agency.inspect(revert)).attempts).toEqual([])
    expect((await land(agency, revert)).status).toBe('done')
    expect(repository.read('poem.txt')).toBe('a river\n')
    expect(repository.read('other.txt')).toBe('two\n')
    expect(repository.git('status', '--porcelain')).toBe('')
    expect((await agency.pullRequests.ofRun(run.id)).revertedBy).toBe(revert.id)
  })

  it('is started once, and can itself be taken back', async () => {
    const { agency, run, repository } = await landed(openFresh)
    const both = await Promise.allSettled([
      agency.reverts.start(operator, run.id),
      agency.reverts.start(operator, run.id),
    ])
    const revert = both.find((each) => each.status === 'fulfilled')?.value as Run
    expect(both.find((each) => each.status === 'rejected')?.reason).toMatchObject({
      code: 'conflict',
      message: `the result of ${run.id} is being taken back by ${revert.id}`,
    })
    const again = () => agency.db.once('key', 'digest', () => agency.reverts.start(operator, run.id))
    await expect(again()).rejects.toMatchObject({ code: 'conflict' })
    await land(agency, revert)
    await expect(agency.reverts.start(operator, run.id)).rejects.toMatchObject({
      message: `the result of ${run.id} was taken back by ${revert.id} already`,
      hint: `To bring it back: agency revert ${revert.id}`,
    })
    const back = () => agency.db.once('another key', 'digest', () => agency.reverts.start(operator, revert.id))
    const brought = await back()
    await land(agency, brought)
    expect((await back()).id).toBe(brought.id)
    await expect(agency.reverts.start(operator, run.id)).rejects.toMatchObject({
      message: `the result of ${run.id} was taken back by ${revert.id}, and brought back by ${brought.id}`,
      hint: `To take it back again: agency revert ${brought.id}`,
    })
    expect(repository.read('poem.txt')).toBe('a river\na sea\n')
  })

  it('asks with the files in conflict and changes nothing; giving up allows for another one, by an agent', async () => {
    const { agency, run, repository } = await landed(openFresh)
    const later = operatorCommits(repository, 'poem.txt', 'a river\na wide sea\n')
    const revert = await agency.reverts.start(operator, run.id)
    expect(revert).toMatchObject({ questionsOpen: 1 })
    const [question] = (await agency.inspect(revert)).questions
    expect(question).toMatchObject({ context: 'Files in conflict:\n- poem.txt', recommendation: null })
    expect(question?.options.map(({ key }) => key)).toEqual(['agent', 'abandon'])
    expect(repository.git('rev-parse', 'main')).toBe(later)
    await agency.questions.answer(operator, question?.id ?? '', 'abandon')
    expect((await agency.settled(revert)).status).toBe('failed')
    const second = await agency.reverts.start(operator, run.id)
    expect((await agency.pullRequests.ofRun(run.id)).revertedBy).toBe(second.id)
    const [again] = (await agency.inspect(second)).questions
    await agency.questions.answer(operator, again?.id ?? '', 'agent')
    expect(await gateOf(agency, second)).toMatchObject({ gate: 'merge' })
    expect((await agency.inspect(second)).attempts.length).toBeGreaterThan(0)
    expect(repository.git('rev-parse', 'main')).toBe(later)
    await agency.runs.cancel(operator, second.id, undefined)
  })

  it('is refused where nothing has landed, or the branch has lost it', async () => {
    const { agency, run, repository } = await landed(openFresh)
    const alone = await agency.settled(await agency.run())
    await expect(agency.reverts.start(operator, alone.id)).rejects.toMatchObject({ code: 'unsupported' })
    const open = await agency.run({ repo: repository.path, play: [writes('new.txt', 'new\n')] })
    await gateOf(agency, open)
    await expect(agency.reverts.start(operator, open.id)).rejects.toMatchObject({
      code: 'illegal_transition',
      message: `the result of ${open.id} has not landed: the run is accepting`,
    })
    await agency.runs.cancel(operator, open.id, undefined)
    operatorCommits(repository, 'poem.txt', 'a river\n')
    await expect(agency.reverts.start(operator, run.id)).rejects.toMatchObject({
      message: `main has none of the changes of ${run.id} any more`,
    })
    repository.git('reset', '--quiet', '--hard', 'HEAD~2')
    await expect(agency.reverts.start(operator, run.id)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('survives the death of the daemon right after it was started', async () => {
    const { agency: before, run, repositories, workspaces, repository } = await landed(openFresh)
    const started = await before.reverts.start(operator, run.id)
    before.die()
    const agency = await openAgency({
      db: before.store.db,
      clock: before.clock,
      repositories,
      workspaces,
      worker: 'test:2',
    })
    await agency.engine.start()
    expect((await land(agency, started)).status).toBe('done')
    expect(repository.read('poem.txt')).toBe('a river\n')
  })

  it('keeps the commits of others that an agent has joined with the result before it landed', async () => {
    const repository = makeRepository({ 'poem.txt': 'a river\n', 'other.txt': 'one\n' })
    const { repositories, workspaces } = openRepositories()
    const agency = await startAgency(openFresh, { repositories, workspaces })
    const join =
      'git merge -q $(git --git-dir="$(dirname "$(cat .git/objects/info/alternates)")" rev-parse refs/source/main) || true'
    const run = await agency.run({
      goal: 'Add a sea',
      repo: repository.path,
      play: [writes('poem.txt', 'a river\na sea\n'), [{ run: join }, ...writes('poem.txt', 'a wide river\na sea\n')]],
    })
    await gateOf(agency, run)
    repository.write('other.txt', 'two\n')
    operatorCommits(repository, 'poem.txt', 'a wide river\n')
    await agency.gates.approve(operator, { target: run.id, gate: 'merge' })
    await agency.until(async () => (await agency.brief(run)).attempts === 2)
    expect((await land(agency, run)).status).toBe('done')
    expect([repository.read('poem.txt'), repository.read('other.txt')]).toEqual(['a wide river\na sea\n', 'two\n'])
    expect((await agency.pullRequests.ofRun(run.id)).files.map(({ path }) => path)).toEqual(['poem.txt'])
    const revert = await agency.reverts.start(operator, run.id)
    expect((await land(agency, revert)).status).toBe('done')
    expect([repository.read('poem.txt'), repository.read('other.txt')]).toEqual(['a wide river\n', 'two\n'])
  })

  it('that is rejected is done again by an agent, whose work need not have what it takes back', async () => {
    const { agency, run, repository } = await landed(
      openFresh,
      `if git log --format=%s | grep -q Revert; then echo gone > note.txt; else printf 'a river\\na sea\\n' > poem.txt; fi`,
    )
    const revert = await agency.reverts.start(operator, run.id)
    await gateOf(agency, revert)
    await agency.gates.reject(operator, { target: revert.id, reason: 'Leave a note' })
    expect((await land(agency, revert)).status).toBe('done')
    expect(repository.read('poem.txt')).toBe('a river\n')
    expect(repository.read('note.txt')).toBe('gone\n')
  })
})
