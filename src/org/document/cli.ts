import { type Form, url, warn } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import { readInput } from '../../cli/input.ts'
import { plain } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { shorten } from '../../kernel/text.ts'
import type { Fault, PlannedChange } from './contract.ts'

export interface ExportOptions extends Form {
  org: string
  format?: string
  positionsOnly?: true
  role?: string
  allRoles?: true
}

export async function exportOrganisation(context: CliContext, options: ExportOptions): Promise<number> {
  const { document, warnings } = await context
    .api()
    .get<{ document: string; warnings: string[] }>(url`/orgs/${options.org}/export`, {
      format: options.json ? 'json' : options.format,
      positions_only: options.positionsOnly,
      role: options.role,
      all_roles: options.allRoles,
    })
  warn(context, warnings)
  context.text(document)
  return 0
}

export interface DocumentOptions extends Form {
  file?: string
}

/** Findings are what it is asked for, so they are its output. */
export async function validateDocument(context: CliContext, { file, json }: DocumentOptions): Promise<number> {
  const document = await readInput(file, 'document')
  const answered = await context.api().post<{ valid: boolean; faults: Wire<Fault>[] }>('/orgs/validate', { document })
  if (json) context.json(answered)
  else {
    for (const fault of answered.faults) context.out(faultLine(fault, file))
    if (answered.faults.length === 0) context.out('valid')
  }
  return answered.valid ? 0 : 1
}

export interface ImportOptions extends DocumentOptions {
  preview?: true
  force?: true
  withIntent?: true
}

interface Imported {
  applied: boolean
  organisation_id: number | null
  changes: Wire<PlannedChange>[]
  warnings: string[]
}

export async function importDocument(context: CliContext, options: ImportOptions): Promise<number> {
  const document = await readInput(options.file, 'document')
  const { json, preview, force, withIntent } = options
  const input = { document, preview, force, with_intent: withIntent }
  const answered = await context.api().post<Imported>('/orgs/import', input)
  warn(context, answered.warnings)
  if (json) context.json(answered)
  else for (const line of changeLines(answered.changes, preview === true)) context.out(line)
  return 0
}

function faultLine({ severity, message, line, column, subject }: Wire<Fault>, file: string | undefined): string {
  const place = `${file ?? 'stdin'}${line === null ? '' : `:${line}:${column}`}`
  const about = subject === null || message.includes(subject) ? '' : ` (${subject})`
  return `${place}: ${severity}: ${plain(message + about)}`
}

/**
 * `update position_id 4 title: A → B`. A preview names everything, also what stays; where all of it stays, that is the
 * whole news, but for what was left out on purpose.
 */
export function changeLines(changes: readonly Wire<PlannedChange>[], everything: boolean): string[] {
  const isNews = changes.some(({ action }) => action !== 'unchanged')
  const told = changes.filter(({ action, note }) => action !== 'unchanged' || note || (isNews && everything))
  return [...(isNews ? [] : ['no changes']), ...told.flatMap(linesOf)]
}

function linesOf({ action, entity, label, fields, note }: Wire<PlannedChange>): string[] {
  const named = label === entity || label.startsWith(`${entity}_id `) ? label : `${entity} ${label}`
  const head = `${action} ${plain(named)}`
  if (note || fields.length === 0 || action === 'conflict') return [note ? `${head}: ${plain(note)}` : head]
  return fields.map(({ field, from, to }) => {
    // The name of a setting, or of the lead, is its only field.
    const what = field === 'value' || field === label ? '' : ` ${field}`
    return `${head}${what}: ${action === 'create' && from === null ? '' : `${short(from)} → `}${short(to)}`
  })
}

const short = (value: string | null): string => (value === null ? 'null' : shorten(plain(value), 120))
