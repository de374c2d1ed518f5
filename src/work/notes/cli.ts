import type { Client } from '../../client/client.ts'
import type { noteAddCommand } from '../../cli/commands/note/add.ts'
import type { noteEscalateCommand } from '../../cli/commands/note/escalate.ts'
import type { noteListCommand } from '../../cli/commands/note/list.ts'
import type { noteResolveCommand } from '../../cli/commands/note/resolve.ts'
import type { noteShowCommand } from '../../cli/commands/note/show.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler, OptionsFor } from '../../cli/declare.ts'
import { ago, bold, plain, statusText, tableLines } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Endpoint } from '../../operations/endpoint.ts'
import type { NoteView } from './contract.ts'
import { noteEndpoints } from './endpoints.ts'

type NoteLine = Wire<NoteView>

/** An agent's run and brief are those of its attempt; the operator names them. */
type ScopeOptions = OptionsFor<typeof noteShowCommand>

export const addNote: Handler<typeof noteAddCommand> = async (context, description, options) => {
  const note = await apiOf(context, options).call<NoteLine>(noteEndpoints.add, {
    ...fieldsOf(options.field ?? []),
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

/** Reads `name=value`, where a value may contain further `=`. */
function fieldsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const [name, ...value] = each.split('=')
      if (name === undefined || name.trim() === '' || value.length === 0)
        throw refusal('invalid_input', `--field ${each}: write it as name=value`)
      return [name.trim(), value.join('=')]
    }),
  )
}

export const listNotes: Handler<typeof noteListCommand> = async (context, options) => {
  const answer = await apiOf(context, options).call<{ notes: NoteLine[] }>(noteEndpoints.list, {
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
  // Each brief counts its notes from one.
  const isOfSeveral = new Set(answer.notes.map((note) => note.brief_id)).size > 1
  const rows = answer.notes.map((note) => [
    note.note_id,
    ...(isOfSeveral ? [note.id] : []),
    statusText(context, note.status, states[note.status]),
    note.category ?? '–',
    plain([note.description, note.resolution ?? note.escalation_reason].filter((text) => text !== null).join(' → ')),
  ])
  const columns = [
    { title: 'NOTE' },
    ...(isOfSeveral ? [{ title: 'ID' }] : []),
    { title: 'STATUS' },
    { title: 'CATEGORY' },
    { title: 'DESCRIPTION', flexible: true as const },
  ]
  for (const line of tableLines(context, columns, rows)) context.out(line)
  return 0
}

const states = { open: 'working', escalated: 'waiting', resolved: 'good' } as const

export const showNote: Handler<typeof noteShowCommand> = async (context, noteId, options) => {
  const note = await apiOf(context, options).call<NoteLine>(noteEndpoints.show, {
    note_id: noteId,
    brief_id: options.brief,
    run_id: options.run,
  })
  print(context, note, options)
  return 0
}

export const resolveNote: Handler<typeof noteResolveCommand> = (context, noteId, resolution, options) =>
  settle(context, noteEndpoints.resolve, { note_id: noteId, resolution }, options)

export const escalateNote: Handler<typeof noteEscalateCommand> = (context, noteId, reason, options) =>
  settle(context, noteEndpoints.escalate, { note_id: noteId, reason }, options)

async function settle(
  context: CliContext,
  endpoint: Endpoint,
  input: Record<string, string>,
  options: OptionsFor<typeof noteResolveCommand>,
): Promise<number> {
  const note = await apiOf(context, options).call<NoteLine>(endpoint, {
    ...input,
    category: options.category,
    brief_id: options.brief,
    run_id: options.run,
  })
  if (options.json) context.json(note)
  else if (note.question_id !== null && note.status === 'escalated')
    context.out(`${note.note_id} escalated: ${note.question_id}`)
  else context.out(`${note.note_id} ${note.status}`)
  return 0
}

function print(context: CliContext, note: NoteLine, { json }: ScopeOptions): void {
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
    ...Object.entries(note.extra).map(([name, value]) => [name, textOf(value)] as const),
    ['brief', note.brief_id],
    ['id', note.id],
  ] as const)
    if (value !== '') context.out(`${name.padEnd(12)} ${plain(value)}`)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the client; the holder of an agent's token is that agent, with or without `--as agent`. */
function apiOf(context: CliContext, { as }: ScopeOptions): Client {
  if (as === 'agent' && !context.env['AGENCY_TOKEN'])
    throw refusal('unauthenticated', 'you are not an agent: AGENCY_TOKEN is not set', {
      hint: 'Agency sets it for every agent that it starts.',
    })
  return context.api()
}
