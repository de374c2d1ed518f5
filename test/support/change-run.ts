import { playbooks } from '../../src/compose.ts'
import { applyDecisions } from '../../src/engine/outcome/decide.ts'
import { type RunScope, scopeOf } from '../../src/work/scope.ts'
import { systemIds } from '../../src/kernel/ids.ts'
import { findRun } from '../../src/work/runs/store.ts'
import type { TestAgency } from './agency.ts'

/** Changes a run's rows as the engine does, for tests of rows that would otherwise need a whole run. */
export const changeRun = <T>(
  agency: Pick<TestAgency, 'db'>,
  { id }: { id: string },
  act: (scope: RunScope) => Promise<T>,
): Promise<T> =>
  agency.db.write([`run:${id}`, 'org:1'], async (tx) => {
    const run = await findRun(tx, id)
    if (run === undefined) throw new Error(`no run ${id}`)
    return act(scopeOf({ ids: systemIds, playbooks, decide: applyDecisions }, tx, run, 'engine'))
  })
