import { create, change } from '../../events/change.ts'
import type { Tx } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { ProofEnd } from '../proofs/finish.ts'
import type { Run } from '../runs/contract.ts'
import type { ScopeParts } from '../scope.ts'
import type { Repeat } from './contract.ts'
import { findRepeat, findWaitingRepeat, repeats } from './store.ts'
import { endText, startText } from './wording.ts'

export type NewRepeat = Pick<Repeat, 'subject' | 'commitId' | 'branchCommit' | 'inBranch'>

/** Records the request and wakes the engine; a run has one repeat at a time. The run itself stays as it is. */
export async function startRepeat(
  tx: Tx,
  { ids, later }: Pick<ScopeParts, 'later'> & { ids: Ids },
  run: Run,
  by: string,
  about: NewRepeat,
): Promise<Repeat> {
  const waiting = await findWaitingRepeat(tx, run.id)
  if (waiting !== undefined)
    throw refusal('conflict', `the evidence of ${run.id} is being checked already, since ${waiting.createdAt}`, {
      hint: `Follow it with "agency prove ${run.id} --follow", or end it with "agency prove ${run.id} --cancel".`,
    })
  const repeat: Repeat = {
    id: ids.next('repeat'),
    runId: run.id,
    ...about,
    status: 'waiting',
    findings: [],
    checkedIn: null,
    detail: null,
    requestedBy: by,
    createdAt: tx.at,
    endedAt: null,
  }
  await create(tx, repeats, repeat, {
    kind: 'repeat_started',
    by,
    runId: run.id,
    level: 'normal',
    code: 'PROOF',
    message: startText(repeat, run.repository?.branch ?? ''),
    data: { repeat_id: repeat.id, commit: repeat.commitId },
  })
  await later?.(tx, { kind: 'repeat', runId: run.id, delayMs: 0 })
  return repeat
}

/** Records the end of a repeat; one that was ended meanwhile stays as it is. */
export async function finishRepeat(tx: Tx, id: string, end: ProofEnd): Promise<void> {
  const known = await findRepeat(tx, id)
  if (known?.status === 'waiting') await endRepeat(tx, known, { ...end, detail: end.detail ?? null }, 'engine')
}

/** Ends a repeat that is no longer wanted. */
export const cancelRepeat = (tx: Tx, known: Repeat, by: string): Promise<Repeat> =>
  endRepeat(tx, known, { status: 'cancelled', detail: `cancelled by ${by}` }, by)

async function endRepeat(tx: Tx, known: Repeat, end: Partial<Repeat>, by: string): Promise<Repeat> {
  const detail = endText({ ...known, ...end })
  return change(
    tx,
    repeats,
    known,
    { ...end, detail, endedAt: tx.at },
    {
      kind: 'repeat_ended',
      by,
      runId: known.runId,
      level: 'normal',
      code: 'PROOF',
      message: `${end.status === 'passed' ? '✓' : '✗'} ${detail}`,
      data: { repeat_id: known.id, commit: known.commitId, status: end.status },
    },
  )
}
