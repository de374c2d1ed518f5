import type { Attempt, Report } from '../attempts/contract.ts'
import type { Brief } from '../briefs/contract.ts'
import { log } from '../runs/log.ts'
import { redact } from '../../secrets/redact.ts'
import type { RunScope } from '../scope.ts'
import { extraOf, type Note, noteName, noteNumber, ReportedNote } from './contract.ts'
import { addNote, escalateNote, resolveNote } from './moves.ts'
import { refusalOfOwnDecision, settlerOf } from './rules.ts'
import { listNotesOfBrief } from './store.ts'

/**
 * Records the notes of a report as the tools would: new ones are added, and those that exist already are settled or
 * escalated. A note that is not the agent's own to settle stays open, and its review escalates it.
 */
export async function recordReportedNotes(
  scope: RunScope,
  brief: Brief,
  attempt: Attempt,
  { notes: reported = [] }: Report,
): Promise<void> {
  if (reported.length === 0) return
  const known = await listNotesOfBrief(scope.tx, brief.id)
  for (const given of reported) {
    const index = known.findIndex((note) => isAbout(given, note))
    if (index < 0 && given.description === undefined) {
      await say(scope, brief, `the report settles ${given.noteId}, and ${brief.key} has no such note`)
      continue
    }
    const found = index < 0 ? await addReported(scope, brief, attempt, given) : (known[index] as Note)
    const note = await follow(scope, brief, found, given)
    if (index < 0) known.push(note)
    else known[index] = note
  }
}

/** An agent that counts its notes itself may give a new one a name that another note has. */
const isAbout = ({ noteId, description }: ReportedNote, note: Note): boolean =>
  description === undefined
    ? noteId === note.id || (noteId !== undefined && noteNumber(noteId) === note.number)
    : redact(description) === note.description

const addReported = (scope: RunScope, brief: Brief, attempt: Attempt, given: ReportedNote): Promise<Note> =>
  addNote(scope, {
    briefId: brief.id,
    attemptId: attempt.id,
    agentId: attempt.agentId,
    description: given.description as string,
    context: given.context ?? `reported in attempt ${attempt.fence}`,
    category: given.category ?? null,
    extra: extraOf(given, ReportedNote),
  })

async function follow(scope: RunScope, brief: Brief, note: Note, given: ReportedNote): Promise<Note> {
  const name = noteName(note)
  const { status, resolution, escalationReason: reason, category } = given
  if (status === 'open') return note
  if (note.status === 'resolved') {
    // The tool and the file say the same: it is one resolution.
    if (note.resolution !== redact(resolution ?? ''))
      await say(scope, brief, `${name} is resolved already: ${settlerOf(note)}; the report changes nothing`)
    return note
  }
  if (note.status === 'escalated') {
    if (status === 'resolved') await say(scope, brief, `${name} is escalated and waits for an answer from above`)
    return note
  }
  if (status === 'escalated')
    return escalateNote(scope, brief, category === undefined ? note : { ...note, category }, reason as string)
  const refused = refusalOfOwnDecision(scope.playbook, note, category)
  if (refused === null) return resolveNote(scope, note, resolution as string, 'agent', { category })
  await say(scope, brief, `${name}: ${refused.message}`)
  return note
}

const say = (scope: RunScope, brief: Brief, message: string): Promise<void> =>
  log(scope, { brief, level: 'normal', message })
