import { wakeChecks, wakeDecisions, wakeGates, wakeQuestions, wakeRuns } from '../../src/engine/loop/wakes.ts'
import type { Jobs } from '../../src/jobs/queue.ts'
import { AgencyError } from '../../src/kernel/errors.ts'
import { isSimulated, textOf } from './simulated-errors.ts'
import type { Life, World } from './world.ts'

const isStop = (error: unknown): boolean => error instanceof AgencyError && error.code === 'stopping'

/** Registers the handlers of all wake-ups, as the daemon does; an error that is not simulated is a bug. */
export function registerWakes(life: Life, world: World): void {
  const { agency, jobs } = life
  const watched: Pick<Jobs, 'handle'> = {
    handle: (kind, handler, options) =>
      jobs.handle(
        kind,
        async (job) => {
          try {
            await handler(job)
          } catch (error) {
            if (!isSimulated(error) && !(life.isStopping && isStop(error)))
              world.fail('wake-ups are handled', `${kind}: ${textOf(error)}`)
            throw error
          }
        },
        options,
      ),
  }
  wakeGates(watched, agency.gates)
  wakeDecisions(watched, agency.decisions)
  wakeQuestions(watched, agency.questions)
  wakeRuns(watched, agency.engine)
  wakeChecks(watched, agency.repositorySettings)
}
