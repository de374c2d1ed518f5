import type { Life, World } from '../world.ts'
import { openRuns } from './brief.ts'

/** Checks at rest that the product itself names the reason for which an open run waits. */
export async function checkWaits(world: World): Promise<void> {
  const life = world.lives[0] as Life
  for (const run of openRuns(world)) {
    const { waitsFor } = await life.agency.runs.inspect(run['id'] as string, 0)
    if (waitsFor === null)
      world.fail('an open run names the reason for which it waits', `${run['id']} is ${run['status']} and names none`)
  }
}
