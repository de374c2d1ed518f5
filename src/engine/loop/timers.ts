import type { EngineDeps } from '../deps.ts'
import { persist } from '../persist.ts'
import { openScope } from '../../work/scope.ts'

/** A time that a playbook has asked for. It may come twice, and late: whether it matters is the playbook's to see. */
export const onTimer = (deps: EngineDeps, timer: { runId: string; name: string; part: string }): Promise<void> =>
  persist(deps, () =>
    deps.db.write([`run:${timer.runId}`], async (tx) => {
      const scope = await openScope(deps, tx, timer.runId)
      if (scope === null || scope.run.endedAt !== null) return
      await scope.decide({ kind: 'timer', name: timer.name, part: timer.part })
    }),
  )
