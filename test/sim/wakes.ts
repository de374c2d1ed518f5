import { wakeChecks, wakeGates, wakeRuns } from '../../src/engine/loop/wakes.ts'
import type { Jobs } from '../../src/jobs/queue.ts'
import { isSimulated, textOf } from './simulated-errors.ts'
import type { Life, World } from './world.ts'

/** Registers the handlers of all wake-ups, as the daemon does; an error that is not simulated is a bug. */
export function registerWakes({ agency, jobs }: Life, world: World): void {
  const watched: Pick<Jobs, 'handle'> = {
    handle: (kind, handler, options) =>
      jobs.handle(
        kind,
        async (job) => {
          try {
            await handler(job)
          } catch (error) {
            if (!isSimulated(error)) world.fail('wake-ups are handled', `${kind}: ${textOf(error)}`)
            throw error
          }
        },
        options,
      ),
  }
  wakeGates(watched, agency.gates)
  wakeRuns(watched, agency.engine)
  wakeChecks(watched, agency.repositorySettings)
}
