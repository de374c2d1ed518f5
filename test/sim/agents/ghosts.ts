import type { Launch } from '../../../src/adapters/runtime/port.ts'
import type { World } from '../world.ts'
import { answerAgent } from './api.ts'

const visits = [
  { path: '/api/attempt/report', body: { status: 'done', summary: 'I was here', outputs: ['ghost.md'] } },
  { path: '/api/events', body: { kind: 'log', message: 'note add none' } },
]

/** An agent that comes back with its token when its brief has gone on without it, once or several times. */
export function haunt(world: World, { launchId, environment }: Launch): void {
  const random = world.random.about(`ghost ${launchId}`)
  if (!random.chance(world.temper.ghost)) return
  let visitsLeft = 4
  const appear = (): void => {
    if (world.phase === 'diligent' || visitsLeft-- === 0) return
    if (world.history.hasEnded(launchId)) {
      world.fault('ghost')
      // Whether it may is the store's to say, and the history's to check.
      void answerAgent(world, { method: 'POST', ...random.pick(visits), environment })
    }
    world.clock.after(random.between(1_000, 200_000), appear)
  }
  world.clock.after(random.between(0, 100_000), appear)
}
