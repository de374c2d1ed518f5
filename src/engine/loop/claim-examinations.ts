import { change } from '../../events/change.ts'
import { attempts, findAttempt, listReported } from '../../work/attempts/store.ts'
import { findBrief } from '../../work/briefs/store.ts'
import { lookForObstacles } from '../../work/stops/store.ts'
import { findRun } from '../../work/runs/store.ts'
import type { Claimed } from '../attempt/start.ts'
import type { EngineDeps } from '../deps.ts'

/**
 * Claims up to `limit` attempts with evidence to be checked, oldest first. The search takes no lock; each attempt is
 * read again under the stream of its run, so that only one of two workers gets it.
 */
export async function claimExaminations(
  deps: EngineDeps,
  limit: number,
  isHeld: (attemptId: string) => boolean,
): Promise<Claimed[]> {
  const reported = await deps.db.read((tx) => listReported(tx, limit))
  const found = reported.filter(({ attemptId }) => !isHeld(attemptId))
  const results = await Promise.allSettled(found.map(({ attemptId, runId }) => claim(deps, runId, attemptId)))
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return result.value
    deps.log.error('an examination could not be claimed', { error: String(result.reason) })
    return []
  })
}

const claim = (deps: EngineDeps, runId: string, attemptId: string): Promise<Claimed[]> =>
  deps.db.write([`run:${runId}`], async (tx) => {
    const run = await findRun(tx, runId)
    const attempt = await findAttempt(tx, attemptId)
    if (run === undefined || attempt?.status !== 'reported' || attempt.heldBy !== null) return []
    if (deps.mayClaim?.() === false) return []
    if ((await lookForObstacles(tx, run.organisationId)).stopped) return []
    const brief = await findBrief(tx, attempt.briefId)
    if (brief === undefined) return []
    const taken = await change(
      tx,
      attempts,
      attempt,
      { status: 'examining', worker: deps.worker },
      {
        kind: 'examination_started',
        by: 'engine',
        runId,
        briefId: brief.id,
        attemptId,
        level: 'verbose',
        message: `${brief.key} attempt ${attempt.fence}: its evidence is checked`,
        data: { worker: deps.worker },
      },
    )
    return [{ run, brief, attempt: { ...attempt, ...taken } }]
  })
