import type { CliContext } from '../../cli/context.ts'
import { ago, bold, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import type { NoteView } from './contract.ts'

type NoteLine = Wire<NoteView>

/** An agent's run and brief are its own; the operator names them. */
export interface PlaceOptions {
  run?: string
  brief?: string
  as?: 'agent'
  json?: true
}

export interface AddOptions extends PlaceOptions {
  context: string
  category?: string
}

export async function addNote(context: CliContext, description: string, options: AddOptions): Promise<number> {
  const note = await apiOf(context, options).post<NoteLine>('/notes', {
    description,
    context: options.context,
    category: options.category,
    brief_id: options.brief,
    run_id: options.run,
  })
  if (options.json) context.json(note)
  else context.out(note.note_id)
  return 0
}

export async function listNotes(context: CliContext, options: PlaceOptions & { status?: string }): Promise<number> {
  const answer = await apiOf(context, options).get<{ notes: NoteLine[] }>('/notes', {
    run_id: options.run,
    brief_id: options.brief,
    status: options.status,
  })
  if (options.json) {
    context.json(answer)
    return 0
  }
  if (answer.notes.length === 0) {
    context.out(options.status === undefined ? 'no notes' : `no notes are ${options.status}`)
    return 0
  }
  const rows = answer.notes.map((note) => [
    note.note_id,
    statusText(context, note.status, states[note.status]),
    note.category ?? '–',
    plain([note.description, note.resolution ?? note.escalation_reason].filter((text) => text !== null).join(' → ')),
  ])
  const columns = [
    { title: 'NOTE' },
    { title: 'STATUS' },
    { title: 'CATEGORY' },
    { title: 'DESCRIPTION', flexible: true },
  ] as const
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

const states = { open: 'working', escalated: 'waiting', resolved: 'good' } as const

export async function showNote(context: CliContext, noteId: string, options: PlaceOptions): Promise<number> {
  const note = await apiOf(context, options).get<NoteLine>(`/notes/${encodeURIComponent(noteId)}`, {
    run_id: options.run,
  })
  print(context, note, options)
  return 0
}

export interface SettleOptions extends PlaceOptions {
  category?: string
}

export const resolveNote = (context: CliContext, noteId: string, resolution: string, options: SettleOptions) =>
  settle(context, noteId, 'resolve', { resolution }, options)

export const escalateNote = (context: CliContext, noteId: string, reason: string, options: SettleOptions) =>
  settle(context, noteId, 'escalate', { reason }, options)

async function settle(
  context: CliContext,
  noteId: string,
  how: 'resolve' | 'escalate',
  text: Record<string, string>,
  options: SettleOptions,
): Promise<number> {
  const note = await apiOf(context, options).post<NoteLine>(`/notes/${encodeURIComponent(noteId)}/${how}`, {
    ...text,
    category: options.category,
    run_id: options.run,
  })
  if (options.json) context.json(note)
  else if (note.question_id !== null && note.status === 'escalated')
    context.out(`${note.note_id} escalated: ${note.question_id}`)
  else context.out(`${note.note_id} ${note.status}`)
  return 0
}

function print(context: CliContext, note: NoteLine, { json }: PlaceOptions): void {
  if (json) return context.json(note)
  const settledBy = [note.resolved_by, note.resolution_source].filter((each) => each !== null).join(', ')
  context.out(
    [bold(context, note.note_id), statusText(context, note.status, states[note.status]), note.category ?? ''].join(
      '  ',
    ),
  )
  for (const [name, value] of [
    ['description', note.description],
    ['context', note.context],
    ['written', ago(note.timestamp, context.nowMs())],
    ['escalated', note.escalation_reason ?? ''],
    ['question', note.question_id ?? ''],
    ['resolution', note.resolution ?? ''],
    ['resolved by', settledBy],
    ['brief', note.brief_id],
  ] as const)
    if (value !== '') context.out(`${name.padEnd(12)} ${plain(value)}`)
}

/** Who has an agent's token is that agent, whether it says so or not. */
function apiOf(context: CliContext, { as }: PlaceOptions): ReturnType<CliContext['api']> {
  if (as === 'agent' && !context.env['AGENCY_TOKEN'])
    throw refusal('unauthenticated', 'you are no agent: AGENCY_TOKEN is not set', {
      hint: 'Agency sets it for every agent that it starts.',
    })
  return context.api()
}
