import { expect, it } from 'vitest'

import { startAgency, work } from '../../../test/support/agency.ts'
import { describeStores } from '../../../test/support/store.ts'
import { operator } from '../../../test/support/work.ts'
import type { AgentEnded, Launch, Runtime, RuntimeEvent } from '../../adapters/runtime/port.ts'
import type { StepInput } from '../../adapters/runtime/scripted/contract.ts'
import { createMemoryWorkspaces } from '../../workspaces/memory.ts'
import type { Workspaces } from '../../workspaces/port.ts'

/** A runtime whose agent prints these events only when it is interrupted. */
function lastWords(words: readonly RuntimeEvent[]): { runtime: Runtime; interrupted: Promise<void> } {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>()
  const ended: AgentEnded = { kind: 'ended', exitCode: null, signal: 'SIGTERM' }
  return {
    interrupted,
    runtime: {
      name: 'last-words',
      capabilities: { simulated: true, boxed: false, evidenceUnboxed: true, send: false, resume: false },
      available: async () => ({ ok: true }),
      checkOptions: () => {},
      launch: async () => ({
        pid: null,
        events: (async function* () {
          await interrupted
          yield* words
          yield ended
        })(),
        send: async () => {},
        interrupt: async () => interrupt(),
      }),
    },
  }
}

describeStores('the end of a run', (openFresh) => {
  it('interrupts every agent at once', async () => {
    const { runtime, interrupted } = lastWords([])
    const agency = await startAgency(openFresh, { runtimes: [runtime] })
    const started = await agency.run({ play: [work], verify: 'all', verifierRuntime: 'last-words' })
    const verifier = await agency.until(async () =>
      (await agency.inspect(started)).attempts.find((attempt) => attempt.runtime === 'last-words' && attempt.startedAt),
    )
    // With its only brief cancelled, the run has nothing left to do.
    await agency.briefs.update(operator, (await agency.brief(started)).id, 'cancelled', undefined)
    expect(await agency.settled(started)).toMatchObject({ status: 'cancelled' })
    await interrupted
    await agency.engine.idle()
    expect(agency.engine.running()).toBe(0)
    expect((await agency.inspect(started)).attempts.find(({ id }) => id === verifier.id)).toMatchObject({
      outcome: 'interrupted',
    })
  })

  it('launches no agent whose workspace was still being prepared', async () => {
    const { runtime } = lastWords([])
    let launches = 0
    const counting = { ...runtime, launch: (launch: Launch) => (launches++, runtime.launch(launch)) }
    const memory = createMemoryWorkspaces()
    const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const workspaces: Workspaces = {
      ...memory,
      prepare: async (request) => {
        begun.resolve()
        await finished.promise
        return memory.prepare(request)
      },
    }
    const agency = await startAgency(openFresh, { runtimes: [counting], workspaces })
    const started = await agency.run({ runtime: 'last-words' })
    await begun.promise
    await agency.runs.cancel(operator, started.id, undefined)
    finished.resolve()
    await agency.engine.idle()
    expect(launches).toBe(0)
    expect((await agency.inspect(started)).attempts).toMatchObject([{ outcome: 'interrupted' }])
  })

  it('does not lose the calls that its agents made before they were gone', async () => {
    const call: RuntimeEvent = { kind: 'usage', inputTokens: 900_000, outputTokens: 100_000, model: 'm', provider: 'p' }
    const { runtime } = lastWords([call])
    const agency = await startAgency(openFresh, { runtimes: [runtime] })
    const started = await agency.run({ runtime: 'last-words' })
    await agency.passed('attempt.started')
    await agency.runs.cancel(operator, started.id, undefined)
    await agency.engine.idle()
    expect(await agency.runs.show(started.id)).toMatchObject({
      status: 'cancelled',
      inputTokens: 900_000,
      outputTokens: 100_000,
    })
    expect((await agency.inspect(started)).spends).toMatchObject([{ calls: 1, inputTokens: 900_000 }])
  })
})

describeStores('an agent that has reported', (openFresh) => {
  it('is not launched again because its calls could not be recorded', async () => {
    const agency = await startAgency(openFresh, {
      prices: { priceOf: () => Promise.reject(new Error('no prices')) } as never,
      mayLogErrors: true,
    })
    const started = await agency.run({
      play: [[{ usage: { input_tokens: 10, output_tokens: 5 } }, ...work] as StepInput[], [{ hang: {} }]],
    })
    expect((await agency.settled(started)).status).toBe('done')
    expect((await agency.inspect(started)).attempts).toHaveLength(1)
  })
})
