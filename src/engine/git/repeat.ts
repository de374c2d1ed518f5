import type { ReadTx } from '../../db/port.ts'
import type { Brief } from '../../work/briefs/contract.ts'
import type { ProofFinding } from '../../work/proofs/contract.ts'
import { provableEvidence } from '../../work/proofs/evidence.ts'
import { listProvenBriefs } from '../../work/proofs/proven-briefs.ts'
import type { Repeat } from '../../work/repeats/contract.ts'
import { finishRepeat } from '../../work/repeats/moves.ts'
import { findWaitingRepeat } from '../../work/repeats/store.ts'
import { resolveChecks } from '../../work/repository-settings/resolve.ts'
import { findRepositorySettings } from '../../work/repository-settings/store.ts'
import { findRun } from '../../work/runs/store.ts'
import { lookForObstacles } from '../../work/stops/store.ts'
import type { EngineDeps } from '../deps.ts'
import { persist } from '../persist.ts'
import { checkCommit, type CommitToCheck, listPrepared, type LiveProof, startLooking } from './prove.ts'

export interface RepeatToMake extends Omit<CommitToCheck, 'id' | 'commit'> {
  readonly repeat: Repeat
  readonly briefs: readonly Brief[]
  /** A stop of the organisation, or of everything, is in force. */
  readonly isStopped: boolean
}

/** Finds the repeat that waits for a run, with the settings of today; null if there is none. */
export async function findRepeatToMake(
  { hostChecks }: Pick<EngineDeps, 'hostChecks'>,
  tx: ReadTx,
  runId: string,
): Promise<RepeatToMake | null> {
  const repeat = await findWaitingRepeat(tx, runId)
  const run = repeat === undefined ? undefined : await findRun(tx, runId)
  if (repeat === undefined || run === undefined || run.repository === null) return null
  const { repository } = run
  const { stopped: isStopped } = await lookForObstacles(tx, run.organisationId)
  const settings = await findRepositorySettings(tx, repository.path)
  const checks = resolveChecks(run, settings, hostChecks?.get(repository.path) ?? null)
  const preparedBriefs = await listPrepared(tx, runId)
  return { run, repository, repeat, checks, preparedBriefs, isStopped, briefs: await listProvenBriefs(tx, run) }
}

export interface LiveRepeat extends LiveProof {
  /** Returns what was found so far. */
  found(): readonly ProofFinding[]
}

/** A person waits for the answer, and can ask again. */
const maxTries = 2

/** Checks all evidence of a run again; the run itself stays as it is. */
export function startRepeating(deps: EngineDeps, made: RepeatToMake, earlierTries: number): LiveRepeat {
  const { run, repeat } = made
  const found: ProofFinding[] = []
  const items = provableEvidence(made.briefs)
  const live = startLooking(
    deps,
    {
      id: repeat.id,
      run,
      isLastTry: earlierTries + 1 >= maxTries,
      check: (signal) =>
        checkCommit(deps, { ...made, id: repeat.id, commit: repeat.commitId }, items, signal, (finding) => {
          found.push(finding)
        }),
      record: (end) => persist(deps, () => deps.db.write([`run:${run.id}`], (tx) => finishRepeat(tx, repeat.id, end))),
    },
    'repeat',
  )
  return { ...live, found: () => found }
}
