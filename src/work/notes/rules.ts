import { type AgencyError, refusal } from '../../kernel/errors.ts'
import type { Playbook } from '../../playbooks/contract.ts'
import { type Note, type NoteCategory, noteName, ownCategories } from './contract.ts'

/**
 * Returns the refusal to an agent that settles a note which is not its own to decide, or null. In doubt a note is
 * escalated: an agent may not settle a note without a category, or with one that is not its own.
 */
export function refusalOfOwnDecision(
  { noteRoutes }: Pick<Playbook, 'noteRoutes'>,
  note: Note,
  given: NoteCategory | undefined,
): AgencyError | null {
  const name = noteName(note)
  if (note.status === 'resolved') return resolvedAlready(note)
  if (note.status === 'escalated')
    return refusal('illegal_transition', `${name} is escalated and waits for an answer from above`, {
      hint: `${whereAsked(note)}; the answer is in "agency note show ${name}".`,
      data: { from: note.status, to: 'resolved' },
    })
  // A note that once had a category for escalation cannot be settled by renaming its category.
  const categories = [note.category, given].filter((category) => category !== null && category !== undefined)
  if (categories.length === 0)
    return refusal('conflict', `category required: ${name} has none, so you cannot resolve it`, {
      hint: `Name one (${ownCategories.join(', ')}), or escalate it.`,
    })
  const above = categories.find((category) => !ownCategories.includes(category))
  if (above === undefined) return null
  const role = noteRoutes?.[above] ?? 'operator'
  return refusal('forbidden', `must_escalate: ${role}`, {
    hint: `${name} is about ${categories.join(', ')}; escalate it: agency note escalate ${name} "<reason>"`,
    data: { note_id: name, must_escalate: role },
  })
}

/** Returns the refusal to settle a note for the second time, with the name of the first who did. */
export const resolvedAlready = (note: Note): AgencyError =>
  refusal('illegal_transition', `${noteName(note)} is resolved already: ${settlerOf(note)}`, {
    data: {
      from: note.status,
      resolved_by: note.resolvedBy,
      resolution_source: note.resolutionSource,
      resolution: note.resolution,
    },
  })

/** Names who settled a note: `agent_self`, or `workflow_executor (lead)`. */
export const settlerOf = ({ resolvedBy, resolutionSource }: Note): string =>
  resolvedBy === 'workflow_executor' ? `${resolvedBy} (${resolutionSource})` : (resolvedBy ?? 'nobody')

/** Says in a hint where an escalated note is. */
export const whereAsked = ({ questionId }: Note): string =>
  questionId === null ? 'It is with the authority above its brief' : `Its question is ${questionId}`
