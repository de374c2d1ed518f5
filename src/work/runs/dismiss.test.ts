import { expect, it } from 'vitest'

import { startAgency } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'

const failing = { play: [[{ exit: { code: 1 } }]], retryBudget: 0, crashRetries: 0, onLimit: 'fail' as const }

describeStores('a failed run', (openFresh) => {
  it('leaves the inbox when it is dismissed, once, and stays in the list of runs', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run(failing))
    expect(run.status).toBe('failed')
    const inInbox = async (): Promise<string[]> =>
      (await agency.runs.list({ state: 'failed', dismissed: false, limit: 10 })).runs.map(({ id }) => id)
    expect(await inInbox()).toEqual([run.id])
    const first = await agency.runs.dismiss(operator, run.id)
    expect(first.dismissedAt).not.toBeNull()
    agency.clock.advance(1_000)
    expect(await agency.runs.dismiss(operator, run.id)).toEqual(first)
    expect(await inInbox()).toEqual([])
    expect((await agency.runs.list({ state: 'failed', limit: 10 })).runs.map(({ id }) => id)).toEqual([run.id])
    const dismissals = (await agency.events(run)).filter(({ kind }) => kind === 'run_dismissed')
    expect(dismissals).toHaveLength(1)
  })

  it('is the only run that can be dismissed', async () => {
    const agency = await startAgency(openFresh)
    const run = await agency.settled(await agency.run())
    await expect(agency.runs.dismiss(operator, run.id)).rejects.toMatchObject({ code: 'illegal_transition' })
  })
})
