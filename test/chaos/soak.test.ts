import { expect, it, onTestFinished } from 'vitest'

import { describeStores } from '../support/store.ts'
import { createInstallation } from './installation.ts'
import { storm } from './storm.ts'

describeStores('a daemon that is killed again and again', (_, store) => {
  it('loses nothing and does nothing twice', async () => {
    const installation = await createInstallation(store)
    onTestFinished(() => installation.remove())
    const result = await storm(installation, { kills: 20, seed: Date.now() % 100_000 })
    expect(result.findings).toEqual([])
    expect(result.outcomes['ok']).toBeGreaterThanOrEqual(result.briefs)
    // It must have been at work when it died, or this test shows nothing.
    expect(result.outcomes['interrupted']).toBeGreaterThan(0)
  })
})
