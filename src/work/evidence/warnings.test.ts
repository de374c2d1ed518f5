import { expect, it } from 'vitest'

import { startAgency, type TestAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { createPlayedRepositories } from '../../../test/support/tiered/repositories.ts'
import { change } from '../../events/change.ts'
import type { Attempt, CheckedIn } from '../attempts/contract.ts'
import { attempts, findAttempt } from '../attempts/store.ts'
import type { Run } from '../runs/contract.ts'

const last = { runtimeOptions: { scenario: { steps: [{ log: 'gate last' }, ...work] } } }

/** Plays a run in a repository up to its merge gate; the first of its two briefs was checked at this place. */
async function playToMerge(agency: TestAgency, place: CheckedIn): Promise<Run> {
  const run = await agency.run({
    repo: '/shop',
    briefs: [
      { key: 'first', objective: 'Do it' },
      { key: 'last', objective: 'End it', after: ['first'], ...last },
    ],
  })
  await agency.gate('last').reached
  const { attemptId } = await agency.brief(run, 'first')
  await agency.db.write([`run:${run.id}`], async (tx) => {
    const attempt = (await findAttempt(tx, attemptId as string)) as Attempt
    const event = { kind: 'log' as const, by: 'test', runId: run.id, message: 'checked elsewhere' }
    await change(tx, attempts, attempt, { checkedIn: place }, event)
  })
  agency.gate('last').open()
  await agency.until(async () => (await agency.runs.show(run.id)).gatesPending > 0)
  return run
}

describeStores('work that was checked in the agent’s workspace', (openFresh) => {
  const start = () => startAgency(openFresh, { repositories: createPlayedRepositories() })
  const sentence = 'Checked in the agent’s workspace, not in a fresh checkout: untracked files may have helped (first)'

  it('waits for a person, who reads it at the gate, in the notification and in the pull request', async () => {
    const agency = await start()
    const run = await playToMerge(agency, 'workspace')
    const [gate] = (await agency.gates.ofRun(run.id)).gates
    expect(gate).toMatchObject({ gate: 'merge', status: 'pending', approver: 'operator' })
    expect(gate?.summary.anomalies).toContain(sentence)
    expect(agency.notices.find(({ kind }) => kind === 'gate_pending')?.summary).toContain(sentence)
    const shown = await agency.pullRequests.ofRun(run.id)
    expect(shown.warnings).toContain(sentence)
    expect(shown.body).toContain(`**${sentence}**`)
  })

  it('is distinguished from work on the host', async () => {
    const agency = await start()
    const run = await playToMerge(agency, 'host')
    const [gate] = (await agency.gates.ofRun(run.id)).gates
    expect(gate?.summary.anomalies).toContain(
      'Checked on the host, outside any box, by commands of config.yaml (first)',
    )
  })

  it('leaves no sentence if all was checked in fresh checkouts', async () => {
    const agency = await start()
    const run = await playToMerge(agency, 'checkout')
    const [gate] = (await agency.gates.ofRun(run.id)).gates
    // The played evidence holds at the start too, which is another sentence.
    const others = (lines: readonly string[] = []) =>
      lines.filter((line) => !line.includes('held before the work began'))
    expect(others(gate?.summary.anomalies)).toEqual(['two remotes'])
    expect(others((await agency.pullRequests.ofRun(run.id)).warnings)).toEqual([])
  })
})
