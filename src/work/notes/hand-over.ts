import { record, updated } from '../../events/change.ts'
import { bug } from '../../kernel/errors.ts'
import type { Decision } from '../../playbooks/contract.ts'
import type { Brief, Guidance } from '../briefs/contract.ts'
import { endStatuses } from '../briefs/states.ts'
import { briefs, findBrief } from '../briefs/store.ts'
import { unblockBrief } from '../briefs/unblock.ts'
import { withdrawQuestion } from '../questions/ask.ts'
import { isStillAsked } from '../questions/still-asked.ts'
import { touchRun } from '../runs/moves.ts'
import { log } from '../runs/log.ts'
import type { RunScope } from '../scope.ts'
import { noteName } from './contract.ts'
import { resolveNote } from './moves.ts'
import { settlerOf } from './rules.ts'
import { findNoteById, listRoutedNotes, notes } from './store.ts'

/**
 * Hands the escalated notes of a brief that has stopped to its playbook, all of them together. Notes that are questions
 * are left out.
 */
export async function handNotes(scope: RunScope, stale: Brief): Promise<void> {
  if (scope.playbook.noteRoutes === undefined || scope.run.endedAt !== null) return
  const brief = await findBrief(scope.tx, stale.id)
  if (brief?.status !== 'blocked') return
  const routed = await listRoutedNotes(scope.tx, brief.id)
  if (routed.length === 0) return
  const handed = { handedAt: scope.tx.at }
  const names = routed.map(noteName)
  await record(
    scope.tx,
    {
      kind: 'log',
      by: scope.by,
      runId: scope.run.id,
      briefId: brief.id,
      level: 'verbose',
      message: `${brief.key} hands its notes to the playbook: ${names.join(', ')}`,
      data: { notes: names },
    },
    routed.map((note) => updated(notes, note, handed)),
  )
  await scope.decide({ kind: 'notes_escalated', brief, notes: routed.map((note) => ({ ...note, ...handed })) })
}

/** Settles escalated notes of a brief, and continues it when none is left. The first resolution of a note stays. */
export async function resolveNotes(
  scope: RunScope,
  { brief: stale, notes: given, source, by }: Omit<Extract<Decision, { kind: 'resolve_notes' }>, 'kind'>,
): Promise<void> {
  const guidance: Guidance[] = []
  for (const { id, resolution } of given) {
    const note = await findNoteById(scope.tx, id)
    if (note?.briefId !== stale.id) throw bug(`${by} resolves note ${id}, which ${stale.key} does not have`)
    if (note.status === 'resolved') {
      const message = `${noteName(note)} is resolved already: ${settlerOf(note)}; the answer of ${by} changes nothing`
      await log(scope, { brief: stale, level: 'normal', message })
      continue
    }
    if (note.questionId !== null) await withdrawQuestion(scope, note.questionId)
    const settled = await resolveNote(scope, note, resolution, source, { by })
    guidance.push({ question: note.description, answer: settled.resolution as string, by })
  }
  if (guidance.length > 0) await continueBrief(scope, stale.id, guidance, by)
}

/** A running agent finds the resolution in its note; the next one receives it in its prompt. */
async function continueBrief(scope: RunScope, briefId: string, added: Guidance[], by: string): Promise<void> {
  const brief = await findBrief(scope.tx, briefId)
  if (brief === undefined) throw bug(`brief ${briefId} vanished`)
  const patch = { guidance: [...brief.guidance, ...added] }
  if (brief.status === 'blocked' && !(await isStillAsked(scope, brief)))
    return unblockBrief(scope, brief, patch, `answered by ${by}`)
  if (endStatuses.includes(brief.status)) return
  const message = `${brief.key} ${brief.status === 'blocked' ? 'waits for more answers' : 'receives the answer at its next start'}`
  await touchRun(scope, {}, { kind: 'log', message, briefId: brief.id }, [updated(briefs, brief, patch)])
}
