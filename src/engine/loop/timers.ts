import type { EngineDeps } from '../deps.ts'
import { persist } from '../persist.ts'
import { openScope } from '../../work/scope.ts'

/**
 * Hands a timer to the playbook that set it. It may fire twice, or late: the playbook decides whether it still matters.
 */
export const onTimer = (deps: EngineDeps, timer: { runId: string; name: string; part: string }): Promise<void> =>
  persist(deps, () =>
    deps.db.write([`run:${timer.runId}`], async (tx) => {
      const scope = await openScope(deps, tx, timer.runId)
      if (scope === null || scope.run.endedAt !== null) return
      await scope.decide({ kind: 'timer', name: timer.name, part: timer.part })
    }),
  )
