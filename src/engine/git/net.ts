import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { askAboutMerge, type FaultyMerge } from '../../work/pull-requests/faults.ts'
import { findRun } from '../../work/runs/store.ts'
import type { EngineDeps } from '../deps.ts'
import { scopeWithoutPlaybook } from '../outcome/fault.ts'
import { isPassing, persist } from '../persist.ts'

/**
 * Records the merge of a part or of a result. If that throws twice, the fault is Agency's, often the playbook's: the
 * operator is asked, without the playbook, instead of retrying silently without end.
 */
export async function withMergeNet(
  deps: EngineDeps,
  runId: string,
  merge: FaultyMerge,
  record: () => Promise<void>,
): Promise<void> {
  try {
    return await record()
  } catch (error) {
    if (isPassing(error)) throw error
  }
  try {
    return await record()
  } catch (error) {
    if (isPassing(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    deps.log.error('a merge could not be recorded; the operator is asked', {
      run: runId,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    await persist(deps, () =>
      deps.db.write([`run:${runId}`], async (tx) => {
        const run = await findRun(tx, runId)
        if (run === undefined || run.endedAt !== null) return
        const why = `Agency failed to record it: ${shorten(redact(reason), 500)}`
        await askAboutMerge(scopeWithoutPlaybook(deps, tx, run), merge, why)
      }),
    )
  }
}
