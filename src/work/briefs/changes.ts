import type { ReadTx } from '../../db/port.ts'
import { listStreamEvents } from '../../events/store.ts'
import { oneLine, shorten } from '../../kernel/text.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { describeEvidence, type Evidence, expectationsOf } from '../evidence/contract.ts'
import type { Brief } from './contract.ts'
import { listBriefs } from './store.ts'

const maxLines = 20
/** More cancellations are counted, but their reasons are not read. */
const maxEvents = 5_000

/**
 * Returns a line for each piece of work that was given up or replaced after it could start: by whom, why, and which
 * evidence stands in place of which. Drafts are no such work: their authors still agree on them.
 */
export async function workChanges(
  tx: ReadTx,
  { describe }: Pick<Playbook, 'describe'>,
  runId: string,
): Promise<string[]> {
  const all = (await listBriefs(tx, runId)).filter(({ kind }) => kind === 'work')
  if (!all.some(({ status }) => status === 'cancelled')) return []
  const cancelled = await cancellations(tx, runId)
  const gone = all.filter(({ id, status }) => status === 'cancelled' && cancelled.get(id)?.isDraft !== true)
  const lines = gone.slice(0, maxLines).map((brief) => {
    const instead = all.filter((other) => describe?.(other).replaces === brief.id)
    const { by, reason } = cancelled.get(brief.id) ?? { by: 'unknown', reason: '' }
    const why = `${by}${reason === '' ? '' : `: ${shorten(oneLine(reason), 300)}`}`
    return instead.length === 0
      ? `${brief.key} was cancelled (${why}); its evidence is not required any more: ${listed(brief.evidence)}`
      : `${brief.key} was replaced by ${instead.map(({ key }) => key).join(', ')} (${why}); ${evidenceText(brief, instead)}`
  })
  const more = gone.length - lines.length
  return more === 0 ? lines : [...lines, `and ${more} more briefs were cancelled: agency inspect ${runId}`]
}

interface Cancellation {
  readonly by: string
  readonly reason: string
  readonly isDraft: boolean
}

async function cancellations(tx: ReadTx, runId: string): Promise<Map<string, Cancellation>> {
  const events = await listStreamEvents(tx, `run:${runId}`, { kind: ['brief_cancelled'], limit: maxEvents })
  return new Map(
    events.flatMap(({ briefId, by, data }) =>
      briefId === null
        ? []
        : [
            [
              briefId,
              {
                by: typeof data['decided_by'] === 'string' ? data['decided_by'] : by,
                reason: typeof data['reason'] === 'string' ? data['reason'] : '',
                isDraft: data['from'] === 'draft' || data['from'] === 'committed',
              },
            ],
          ],
    ),
  )
}

function evidenceText(brief: Brief, instead: readonly Brief[]): string {
  const after = instead.flatMap(({ evidence }) => evidence)
  const kept = new Set(after.map((each) => JSON.stringify(each)))
  return brief.evidence.every((each) => kept.has(JSON.stringify(each)))
    ? 'its evidence is kept'
    : `its evidence was ${listed(brief.evidence)} and is ${listed(after)}`
}

const listed = (evidence: readonly Evidence[]): string =>
  evidence.length === 0 ? 'nothing' : shorten(oneLine([...new Set(evidence.map(described))].join('; ')), 400)

/** Names all conditions, so that a weaker one of the same file is seen. */
function described(evidence: Evidence): string {
  const conditions = expectationsOf(evidence)
  return `${describeEvidence(evidence)}${conditions.length === 0 ? '' : ` (${conditions.join(', ')})`}`
}
