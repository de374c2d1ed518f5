import type { NoteView } from '../../src/work/notes/contract.ts'
import { Sign, type State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import type { Inspection } from '../queries.ts'
import { addresses, Link } from '../router.tsx'
import { humanise } from '../text.ts'

/** Lists the notes of a run and their resolutions. Open ones come first: a brief is not done while a note is open. */
export function NotesView({ inspection }: { inspection: Inspection }) {
  const { notes, briefs } = inspection
  const titles = new Map(briefs.map((brief) => [brief.id, brief.title]))
  if (notes.length === 0)
    return (
      <p className="none muted">No notes yet. Assumptions and doubts that agents record while they work appear here.</p>
    )
  const order: NoteView['status'][] = ['escalated', 'open', 'resolved']
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label="Notes">
      <ul className="plain">
        {notes
          .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
          .map((note) => (
            <NoteItem key={note.id} note={note} brief={titles.get(note.briefId) ?? note.briefId} />
          ))}
      </ul>
    </div>
  )
}

const noteStates: Record<NoteView['status'], State> = {
  open: { tone: 'waiting', text: 'open' },
  escalated: { tone: 'waiting', text: 'escalated' },
  resolved: { tone: 'good', text: 'resolved' },
}

const resolvers: Record<NonNullable<NoteView['resolvedBy']>, string> = {
  agent_self: 'its agent',
  workflow_executor: 'the lead',
  user: 'the operator',
}

export function NoteItem({ note, brief }: { note: NoteView; brief: string | null }) {
  const state = noteStates[note.status]
  return (
    <li className="evidence">
      <Sign tone={state.tone} />
      <div className="grow">
        <p>
          <b>{note.description}</b>
        </p>
        {note.context !== '' && note.context !== note.description && <p className="written">{note.context}</p>}
        {note.resolution !== null && (
          <p>
            {note.resolvedBy === null ? 'Resolved' : `Resolved by ${resolvers[note.resolvedBy]}`}: {note.resolution}
          </p>
        )}
        {note.status === 'escalated' && note.escalationReason !== null && <p>Escalated: {note.escalationReason}</p>}
        <p className="facts muted">
          <span className={`tone-${state.tone}`}>{state.text}</span>
          <code>{note.noteId}</code>
          {note.category !== null && <span>{humanise(note.category)}</span>}
          {brief !== null && <Link to={addresses.brief(note.runId, note.briefId)}>{brief}</Link>}
          <Ago at={note.timestamp} />
        </p>
      </div>
    </li>
  )
}
