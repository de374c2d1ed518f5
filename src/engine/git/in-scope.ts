import { openScope, type RunScope } from '../../work/scope.ts'
import type { EngineDeps } from '../deps.ts'
import { persist } from '../persist.ts'

/** Records the result of git's work in the run, unless the run has ended meanwhile. */
export const inScope = (deps: EngineDeps, runId: string, act: (scope: RunScope) => Promise<void>): Promise<void> =>
  persist(deps, () =>
    deps.db.write([`run:${runId}`], async (tx) => {
      const scope = await openScope(deps, tx, runId)
      if (scope === null || scope.run.endedAt !== null) return
      await act(scope)
    }),
  )
