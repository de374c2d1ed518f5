import { GitError } from '../../../src/repositories/git.ts'
import type { Repositories } from '../../../src/repositories/port.ts'
import type { Workspaces } from '../../../src/workspaces/port.ts'
import { cancelBrief } from '../operator/operator.ts'
import type { Random } from '../random.ts'
import { gitFault } from '../simulated-errors.ts'
import type { World } from '../world.ts'

type Alive = <T>(ask: () => Promise<T>) => Promise<T>

/** Returns git as one process of the daemon has it: a dead process gets no answer. */
export function openGit(
  world: World,
  random: Random,
  isDead: () => boolean,
  alive: Alive,
): { repositories?: Repositories } {
  const { git } = world
  if (git === null) return {}
  const isBusy = (): boolean => world.phase === 'busy'
  const repositories = git.enter({
    random,
    isDead,
    isBusy,
    fault: world.fault,
    onMerge: (briefId) => {
      const life = world.reach()
      if (life === null) return
      world.fault('cancelled while it is merged')
      void cancelBrief(world, life, briefId)
    },
  })
  const mortal = Object.entries(repositories).map(([name, work]) => [
    name,
    (...args: never[]) => alive(() => (work as (...all: never[]) => Promise<unknown>)(...args)),
  ])
  return { repositories: Object.fromEntries(mortal) as Repositories }
}

/** Lets some checkouts fail, as on a full disk. */
export const faultyCheckout =
  (world: World, random: Random): Workspaces['checkout'] =>
  async (request) => {
    if (world.phase !== 'busy' || !random.chance(world.git?.rates.lostCheckout ?? 0))
      return world.workspaces.checkout(request)
    world.fault('lost checkout')
    throw new GitError(gitFault)
  }
