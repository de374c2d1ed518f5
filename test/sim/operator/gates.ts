import type { Jobs } from '../../../src/jobs/queue.ts'
import { isOurs, textOf } from '../trouble.ts'
import type { Life, World } from '../world.ts'

/** As the daemon does: a gate that was forgotten is looked at again. */
export function gateWakes(jobs: Jobs, life: Life, world: World): void {
  jobs.handle('playbook_timer', async ({ payload }) => {
    try {
      await life.agency.engine.timer(payload as Parameters<typeof life.agency.engine.timer>[0])
    } catch (error) {
      if (!isOurs(error)) world.fail('a playbook’s time comes', textOf(error))
      throw error
    }
  })
  for (const kind of ['gate_timeout', 'gate_reminder'] as const)
    jobs.handle(kind, async ({ payload }) => {
      try {
        await life.agency.gates.wake(kind, (payload as { gateId: string }).gateId)
      } catch (error) {
        if (!isOurs(error)) world.fail('a gate’s time comes', textOf(error))
        throw error
      }
    })
}
