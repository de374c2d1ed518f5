import type { Launch } from '../../../src/adapters/runtime/port.ts'
import type { World } from '../world.ts'
import { answerAgent } from './api.ts'

const visits = [
  { path: '/api/attempt/report', body: { status: 'done', summary: 'I was here', outputs: ['ghost.md'] } },
  { path: '/api/events', body: { kind: 'log', message: 'note add none' } },
]

/** Lets an agent send requests with its old token after its attempt has ended, once or several times. */
export function sendStaleRequests(world: World, { launchId, environment }: Launch): void {
  const random = world.random.about(`ghost ${launchId}`)
  if (!random.chance(world.rates.staleAgent)) return
  let visitsLeft = 4
  const appear = (): void => {
    if (world.phase === 'diligent' || visitsLeft-- === 0) return
    if (world.history.hasEnded(launchId)) {
      world.fault('ghost')
      // The store decides about the request, and the invariants check the decision.
      void answerAgent(world, { method: 'POST', ...random.pick(visits), environment })
    }
    world.clock.after(random.between(1_000, 200_000), appear)
  }
  world.clock.after(random.between(0, 100_000), appear)
}
