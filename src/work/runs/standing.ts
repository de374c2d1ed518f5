import type { ReadTx } from '../../db/port.ts'
import { countDroppedBriefs } from '../briefs/store.ts'
import { operator } from '../gates/contract.ts'
import { listStops } from '../stops/store.ts'
import type { Run, RunStanding } from './contract.ts'
import { type Decisions, findWait, openDecisions, type Surroundings, type Wait } from './waits-for.ts'

/**
 * Returns the state in which a run is shown. An open decision of the operator comes before everything but her own pause,
 * also while other briefs of the run are at work.
 */
export async function standingOf(tx: ReadTx, run: Run, around: Surroundings): Promise<RunStanding> {
  const progress = await progressOf(tx, run)
  if (run.endedAt !== null) return { state: endedState(run), decisions: 0, progress, waitsFor: null }
  const open = await openDecisions(tx, run)
  const wait = await findWait(tx, run, around, open)
  const decisions = countForOperator(open)
  return { state: await stateOf(tx, run, decisions, wait), decisions, progress, waitsFor: wait?.text ?? null }
}

async function stateOf(tx: ReadTx, run: Run, decisions: number, wait: Wait | null): Promise<RunStanding['state']> {
  if (run.status === 'paused') return 'paused'
  if (decisions > 0) return 'waits_for_you'
  if (await isStopped(tx, run)) return 'stopped'
  if (wait?.on === 'other') return 'waits'
  return run.status === 'planning' || run.status === 'accepting' ? run.status : 'running'
}

/** A pause is the operator's own act, and gates of other approvers wait for them. */
const countForOperator = ({ questions, gates }: Decisions): number =>
  questions.length + gates.filter(({ gate, approver }) => gate !== 'manual' && approver === operator).length

const isStopped = async (tx: ReadTx, run: Run): Promise<boolean> =>
  (await listStops(tx)).some(({ organisationId }) => organisationId === null || organisationId === run.organisationId)

const endedState = ({ status }: Run): RunStanding['state'] =>
  status === 'done' || status === 'cancelled' ? status : 'failed'

/**
 * Counts the briefs of a run. The briefs that a run cancels because it ends were not dropped: they are missing from its
 * result, so they stay in the total.
 */
async function progressOf(tx: ReadTx, run: Run): Promise<RunStanding['progress']> {
  const done = run.briefsDone + run.briefsVerified
  const dropped =
    run.status === 'done' ? run.briefsTotal - done : run.endedAt === null ? await countDroppedBriefs(tx, run.id) : 0
  return { done, total: run.briefsTotal - dropped, dropped }
}
