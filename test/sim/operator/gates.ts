import type { Jobs } from '../../../src/jobs/queue.ts'
import { isSimulated, textOf } from '../simulated-errors.ts'
import type { Life, World } from '../world.ts'

/** Registers the handlers of playbook timers and of reminders and timeouts of undecided gates, as the daemon does. */
export function gateWakes(jobs: Jobs, life: Life, world: World): void {
  jobs.handle('playbook_timer', async ({ payload }) => {
    try {
      await life.agency.engine.timer(payload as Parameters<typeof life.agency.engine.timer>[0])
    } catch (error) {
      if (!isSimulated(error)) world.fail('playbook timers are handled', textOf(error))
      throw error
    }
  })
  for (const kind of ['gate_timeout', 'gate_reminder'] as const)
    jobs.handle(kind, async ({ payload }) => {
      try {
        await life.agency.gates.wake(kind, (payload as { gateId: string }).gateId)
      } catch (error) {
        if (!isSimulated(error)) world.fail('gate timers are handled', textOf(error))
        throw error
      }
    })
}
