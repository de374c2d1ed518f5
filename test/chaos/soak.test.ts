import { expect, it, onTestFinished } from 'vitest'

import { describeStores } from '../support/store.ts'
import { createInstallation } from './installation.ts'
import { killRepeatedly } from './kill-repeatedly.ts'

describeStores('a daemon that is killed repeatedly', (_, store) => {
  it('loses no work and does none twice', async () => {
    const installation = await createInstallation(store)
    onTestFinished(() => installation.remove())
    const result = await killRepeatedly(installation, { kills: 20, seed: Date.now() % 100_000 })
    expect(result.findings).toEqual([])
    expect(result.outcomes['ok']).toBeGreaterThanOrEqual(result.briefs)
    // Some deaths must have interrupted work, or this test would show nothing.
    expect(result.outcomes['interrupted']).toBeGreaterThan(0)
  })
})
