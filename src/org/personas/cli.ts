import { type OutputForm, printAnswer, printWarnings } from '../../cli/answers.ts'
import type { orgPersonaArchiveCommand } from '../../cli/commands/org/persona/archive.ts'
import type { orgPersonaCreateCommand } from '../../cli/commands/org/persona/create.ts'
import type { orgPersonaExperienceCommand } from '../../cli/commands/org/persona/experience.ts'
import type { orgPersonaListCommand } from '../../cli/commands/org/persona/list.ts'
import type { orgPersonaShowCommand } from '../../cli/commands/org/persona/show.ts'
import type { orgPersonaSkillCommand } from '../../cli/commands/org/persona/skill.ts'
import type { orgPersonaUpdateCommand } from '../../cli/commands/org/persona/update.ts'
import type { CliContext } from '../../cli/context.ts'
import type { Handler } from '../../cli/declare.ts'
import { readInput } from '../../cli/input.ts'
import { refusal } from '../../kernel/errors.ts'
import type { Endpoint } from '../../operations/endpoint.ts'
import { personaEndpoints } from './endpoints.ts'

export const createPersona: Handler<typeof orgPersonaCreateCommand> = (context, options) =>
  printAnswer(context, options, personaEndpoints.create, {
    name: options.name,
    role: options.role,
    type: options.type,
    subtype: options.subtype,
    can_create_channel: options.canCreateChannel,
  })

export const listPersonas: Handler<typeof orgPersonaListCommand> = (context, { active, role, all, json }) =>
  printAnswer(context, { json }, personaEndpoints.list, { active, role, all })

export const showPersona: Handler<typeof orgPersonaShowCommand> = (context, { slug, json }) =>
  printAnswer(context, { json }, personaEndpoints.show, { persona: slug })

export const updatePersona: Handler<typeof orgPersonaUpdateCommand> = (context, options) =>
  printAnswer(context, options, personaEndpoints.update, {
    persona: options.slug,
    name: options.name,
    role: options.role,
    status: options.status,
    can_create_channel: options.canCreateChannel,
    unassign: options.unassign,
  })

export const archivePersona: Handler<typeof orgPersonaArchiveCommand> = (context, { slug, unassign, preview, json }) =>
  printAnswer(context, { json }, personaEndpoints.archive, { persona: slug, unassign, preview })

export const personaSkill: Handler<typeof orgPersonaSkillCommand> = async (context, options) => {
  const { slug: persona, write, file } = options
  if (write) {
    const text = await readInput(file, 'skill')
    return writeText(context, options, personaEndpoints.writeSkill, { persona, text })
  }
  refuseFile(file)
  return printText(context, options, personaEndpoints.readSkill, persona)
}

export const personaExperience: Handler<typeof orgPersonaExperienceCommand> = async (context, options) => {
  const { slug: persona, append, write, file } = options
  if (append !== undefined && write) throw refusal('invalid_input', '--append and --write exclude each other')
  if (typeof append === 'string' && file !== undefined)
    throw refusal('invalid_input', '--append already has its text; leave out --file')
  if (append !== undefined) {
    const text = append === true ? await readInput(file, 'experience') : append
    return writeText(context, options, personaEndpoints.appendExperience, { persona, text })
  }
  if (write) {
    const text = await readInput(file, 'experience')
    return writeText(context, options, personaEndpoints.writeExperience, { persona, text })
  }
  refuseFile(file)
  return printText(context, options, personaEndpoints.readExperience, persona)
}

function refuseFile(file: string | undefined): void {
  if (file !== undefined) throw refusal('invalid_input', '--file is for writing; add --write')
}

async function printText(
  context: CliContext,
  { json }: OutputForm,
  endpoint: Endpoint,
  persona: string,
): Promise<number> {
  const answer = await context.api().call<{ text: string }>(endpoint, { persona })
  if (json) context.json(answer)
  else context.text(answer.text)
  return 0
}

/** Sends a text; a text that was just written needs no echo. */
async function writeText(
  context: CliContext,
  { json }: OutputForm,
  endpoint: Endpoint,
  input: { persona: string; text: string },
): Promise<number> {
  const answer = await context.api().call<{ bytes: number; warnings?: string[] }>(endpoint, input)
  printWarnings(context, answer.warnings)
  if (json) context.json(answer)
  return 0
}
