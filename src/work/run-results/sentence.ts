import type { ReadTx } from '../../db/port.ts'
import { shorten } from '../../kernel/text.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { newestVersion } from '../artifacts/store.ts'
import { isMet, type BriefStatus } from '../briefs/states.ts'
import type { Author, Claim } from '../proof-sheets/contract.ts'
import { listAuthors } from '../proof-sheets/store.ts'
import type { Run } from '../runs/contract.ts'
import { counted } from '../../kernel/amounts.ts'
import type { Sentence } from './contract.ts'
import { findAgentOf } from './store.ts'

/** A summary may have 20,000 characters; a longer one than this is read with its brief. */
const longest = 2_000

/** The rows from which the sentence follows. */
export interface Told {
  readonly run: Run
  readonly playbook: Playbook | undefined
  /** The only claim that the result is about, if it is about one. */
  readonly only: Claim | undefined
}

/**
 * Returns the sentence of a result. A failed or cancelled run says why it ended; otherwise the person or agent who
 * answers for the whole is quoted, and facts of Agency stand where nobody does.
 */
export async function findSentence(tx: ReadTx, { run, playbook, only }: Told): Promise<Sentence | null> {
  if (run.status === 'failed' || run.status === 'cancelled') return ofRun(run)
  return (await ofAcceptance(tx, playbook, run)) ?? ofClaim(only) ?? ofRun(run)
}

export const ofClaim = (claim: Claim | undefined): Sentence | null =>
  claim === undefined || claim.summary === null
    ? null
    : { text: shorten(claim.summary, longest), source: 'agent', by: claim.by }

const ofRun = ({ summary }: Run): Sentence | null =>
  summary === null ? null : { text: shorten(summary, longest), source: 'run', by: null }

async function ofAcceptance(tx: ReadTx, playbook: Playbook | undefined, run: Run): Promise<Sentence | null> {
  const { conclusion } = playbook ?? {}
  if (conclusion === undefined) return null
  const document = await newestVersion(tx, run.id, conclusion.document)
  if (document === undefined || document.content === null) return null
  const text = conclusion.textOf(JSON.parse(document.content))
  return text === null
    ? null
    : { text: shorten(text, longest), source: 'acceptance', by: await authorOf(tx, document.attemptId) }
}

async function authorOf(tx: ReadTx, attemptId: string | null): Promise<Author | null> {
  const agentId = attemptId === null ? undefined : await findAgentOf(tx, attemptId)
  return agentId === undefined ? null : ((await listAuthors(tx, [agentId]))[0] ?? null)
}

/** Says how much of the work is finished; null if all of it is. A run that is done has dropped what it cancelled. */
export function leftOf(counts: Readonly<Record<BriefStatus, number>>, isDone: boolean): string | null {
  const entries = Object.entries(counts) as [BriefStatus, number][]
  const sum = (isMeant: (status: BriefStatus) => boolean): number =>
    entries.reduce((total, [status, count]) => total + (isMeant(status) ? count : 0), 0)
  const finished = sum((status) => isMet(status))
  const { failed, cancelled } = counts
  const open = sum((status) => !isMet(status)) - failed - cancelled
  if (open + failed + cancelled === 0) return null
  if (isDone && open + failed === 0) return `${counted(cancelled, 'brief')} dropped`
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(open > 0 ? [`${open} not finished`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ]
  return `${finished} of ${counted(finished + open + failed + cancelled, 'brief')} finished; ${parts.join(', ')}`
}
