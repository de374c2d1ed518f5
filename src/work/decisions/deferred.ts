import type { ReadTx, Tx } from '../../db/port.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Decision, DecisionAction } from './contract.ts'
import { listWaitingAbout } from './store.ts'

/** The gate or question that a decision is about, as its service has found it. */
export interface Subject extends Pick<Decision, 'runId' | 'organisationId' | 'target' | 'by'> {
  /** Its words for people: `plan of run_7k2`. */
  readonly about: string
  /** One decision settles it. Otherwise several people decide, each once. */
  readonly isSingle: boolean
}

/** A decision that waits, on its way through the same code as one that takes effect at once. */
export interface Deferred {
  /** Null: a rehearsal, which does not count the decisions that wait. */
  readonly id: string | null
  /** Is called in the transaction of the decision, after it was made. If it throws, nothing was decided. */
  settle(tx: Tx, subject: Subject): Promise<void>
}

/** Refuses a second decision about a gate or question while another one waits to take effect. */
export async function refuseWhileWaiting(
  tx: ReadTx,
  { target, by, isSingle }: Pick<Subject, 'target' | 'by' | 'isSingle'>,
  except?: string,
): Promise<void> {
  const other = (await listWaitingAbout(tx, target)).find((each) => each.id !== except && (isSingle || each.by === by))
  if (other === undefined) return
  throw refusal(
    'conflict',
    `${other.by} has ${pastOf[other.action]} ${target} already, in effect at ${other.effectiveAt}`,
    {
      hint: `Take it back first: agency undo ${target}`,
      data: { decision_id: other.id, effective_at: other.effectiveAt },
    },
  )
}

/**
 * Returns when a wake-up about a gate or question is due again while a decision about it waits, because that may be
 * taken back; null if none waits.
 */
export async function delayWhileWaiting(tx: Tx, target: string): Promise<number | null> {
  const waiting = (await listWaitingAbout(tx, target)).at(-1)
  return waiting === undefined ? null : Math.max(0, Date.parse(waiting.effectiveAt) - Date.parse(tx.at)) + 1_000
}

export const pastOf: Record<DecisionAction, string> = {
  approve: 'approved',
  reject: 'rejected',
  answer: 'answered',
}

/** Returns a decision in words: `approval of plan of run_7k2`. */
export const decisionText = (action: DecisionAction, about: string): string =>
  action === 'answer' ? `answer to ${about}` : `${action === 'approve' ? 'approval' : 'rejection'} of ${about}`
