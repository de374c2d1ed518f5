import { printWarnings } from '../../cli/answers.ts'
import type { orgExportCommand } from '../../cli/commands/org/export.ts'
import type { orgImportCommand } from '../../cli/commands/org/import.ts'
import type { orgValidateCommand } from '../../cli/commands/org/validate.ts'
import type { Handler } from '../../cli/declare.ts'
import { faultLine } from '../../cli/faults.ts'
import { readInput } from '../../cli/input.ts'
import { plain } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { shorten } from '../../kernel/text.ts'
import type { Fault } from '../../documents/contract.ts'
import type { PlannedChange } from './contract.ts'
import { documentEndpoints } from './endpoints.ts'

export const exportOrganisation: Handler<typeof orgExportCommand> = async (context, options) => {
  const { document, warnings } = await context
    .api()
    .call<{ document: string; warnings: string[] }>(documentEndpoints.export, {
      org: options.org,
      format: options.json ? 'json' : options.format,
      positions_only: options.positionsOnly,
      role: options.role,
      all_roles: options.allRoles,
    })
  printWarnings(context, warnings)
  context.text(document)
  return 0
}

/** Prints the faults of a document on standard output, because they are the result of the command. */
export const validateDocument: Handler<typeof orgValidateCommand> = async (context, { file, json }) => {
  const document = await readInput(file, 'document')
  const answer = await context
    .api()
    .call<{ valid: boolean; faults: Wire<Fault>[] }>(documentEndpoints.validate, { document })
  if (json) context.json(answer)
  else {
    for (const fault of answer.faults) context.out(faultLine({ ...fault, message: messageOf(fault) }, file))
    if (answer.faults.length === 0) context.out('valid')
  }
  return answer.valid ? 0 : 1
}

interface Imported {
  applied: boolean
  organisation_id: number | null
  changes: Wire<PlannedChange>[]
  warnings: string[]
}

export const importDocument: Handler<typeof orgImportCommand> = async (context, options) => {
  const document = await readInput(options.file, 'document')
  const { json, preview, force, withIntent } = options
  const input = { document, preview, force, with_intent: withIntent }
  const answer = await context.api().call<Imported>(documentEndpoints.import, input)
  printWarnings(context, answer.warnings)
  if (json) context.json(answer)
  else for (const line of changeLines(answer.changes, preview === true)) context.out(line)
  return 0
}

const messageOf = ({ message, subject }: Wire<Fault>): string =>
  subject === null || message.includes(subject) ? message : `${message} (${subject})`

/**
 * Formats changes as `update position_id 4 title: A → B`. A preview lists everything, including entries that stay
 * unchanged; where all of them stay, it prints only that and the entries that were left out on purpose.
 */
export function changeLines(changes: readonly Wire<PlannedChange>[], everything: boolean): string[] {
  const hasChanges = changes.some(({ action }) => action !== 'unchanged')
  const listed = changes.filter(({ action, note }) => action !== 'unchanged' || note || (hasChanges && everything))
  return [...(hasChanges ? [] : ['no changes']), ...listed.flatMap(linesOf)]
}

function linesOf({ action, entity, label, fields, note }: Wire<PlannedChange>): string[] {
  const named = label === entity || label.startsWith(`${entity}_id `) ? label : `${entity} ${label}`
  const head = `${action} ${plain(named)}`
  if (note || fields.length === 0 || action === 'conflict') return [note ? `${head}: ${plain(note)}` : head]
  return fields.map(({ field, from, to }) => {
    // A setting and the lead have one field, which their label names already.
    const name = field === 'value' || field === label ? '' : ` ${field}`
    return `${head}${name}: ${action === 'create' && from === null ? '' : `${short(from)} → `}${short(to)}`
  })
}

const short = (value: string | null): string => (value === null ? 'null' : shorten(plain(value), 120))
