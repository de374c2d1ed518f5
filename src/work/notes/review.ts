import { redact } from '../../secrets/redact.ts'
import type { Attempt, Report } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import type { RunScope } from '../scope.ts'
import { type Note, ownCategories } from './contract.ts'
import { addNote, escalateNote } from './moves.ts'
import { recordReportedNotes } from './record-report.ts'
import { listNotesOfBrief, listUnsettledNotes } from './store.ts'

export interface Review {
  /** Notes that wait for an answer from above. */
  escalated: Note[]
  /** Unsettled notes that the agent may settle itself. */
  open: Note[]
}

/**
 * Checks that every assumption is settled before the work counts as done. Assumptions of the report become notes; an
 * open note without a category, or with one that the agent may not settle, is escalated.
 */
export async function reviewNotes(scope: RunScope, brief: Brief, attempt: Attempt, report: Report): Promise<Review> {
  await recordReportedNotes(scope, brief, attempt, report)
  await noteAssumptions(scope, brief, attempt, report)
  if (scope.run.notesTotal === 0) return { escalated: [], open: [] }
  const review: Review = { escalated: [], open: [] }
  for (const note of await listUnsettledNotes(scope.tx, brief.id)) {
    if (note.status === 'escalated') review.escalated.push(note)
    else if (note.category !== null && ownCategories.includes(note.category)) review.open.push(note)
    else review.escalated.push(await escalateNote(scope, brief, note, 'open when the work was reported'))
  }
  return review
}

async function noteAssumptions(scope: RunScope, brief: Brief, attempt: Attempt, report: Report): Promise<void> {
  if (report.assumptions === undefined || report.assumptions.length === 0) return
  const known = new Set((await listNotesOfBrief(scope.tx, brief.id)).map((note) => note.description))
  for (const assumption of report.assumptions) {
    const { text, category } = typeof assumption === 'string' ? { text: assumption, category: undefined } : assumption
    const description = redact(text)
    // A second attempt repeats the same assumption, which was settled before.
    if (known.has(description)) continue
    known.add(description)
    await addNote(scope, {
      briefId: brief.id,
      attemptId: attempt.id,
      agentId: attempt.agentId,
      description,
      context: `assumed in attempt ${attempt.fence}`,
      category: category ?? null,
    })
  }
}
