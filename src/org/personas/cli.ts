import { answer, type Form, url, warn } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import { readInput } from '../../cli/input.ts'
import { refusal } from '../../kernel/errors.ts'

export interface CreateOptions extends Form {
  name: string
  role: string
  type?: string
  subtype?: string
  canCreateChannel?: true
}

export const createPersona = (context: CliContext, options: CreateOptions) =>
  answer(context, options, 'POST', '/personas', {
    name: options.name,
    role: options.role,
    type: options.type,
    subtype: options.subtype,
    can_create_channel: options.canCreateChannel,
  })

export interface ListOptions extends Form {
  active?: true
  role?: string
  all?: true
}

export const listPersonas = (context: CliContext, { active, role, all, json }: ListOptions) =>
  answer(context, { json }, 'GET', '/personas', { active, role, all })

export interface SlugOptions extends Form {
  slug: string
}

export const showPersona = (context: CliContext, { slug, json }: SlugOptions) =>
  answer(context, { json }, 'GET', url`/personas/${slug}`)

export interface UpdateOptions extends SlugOptions {
  name?: string
  role?: string
  status?: string
  canCreateChannel?: boolean
  unassign?: true
}

export const updatePersona = (context: CliContext, options: UpdateOptions) =>
  answer(context, options, 'PATCH', url`/personas/${options.slug}`, {
    name: options.name,
    role: options.role,
    status: options.status,
    can_create_channel: options.canCreateChannel,
    unassign: options.unassign,
  })

export interface ArchiveOptions extends SlugOptions {
  unassign?: true
  preview?: true
}

export const archivePersona = (context: CliContext, { slug, unassign, preview, json }: ArchiveOptions) =>
  answer(context, { json }, 'DELETE', url`/personas/${slug}`, { unassign, preview })

export interface SkillOptions extends SlugOptions {
  write?: true
  file?: string
}

export async function personaSkill(context: CliContext, options: SkillOptions): Promise<number> {
  const path = url`/personas/${options.slug}/skill`
  if (options.write) return send(context, options, 'PUT', path, await readInput(options.file, 'skill'))
  needsNoFile(options)
  return printText(context, options, path)
}

export interface ExperienceOptions extends SkillOptions {
  /** The text, or true where it comes from a file or a pipe. */
  append?: true | string
}

export async function personaExperience(context: CliContext, options: ExperienceOptions): Promise<number> {
  const path = url`/personas/${options.slug}/experience`
  const { append, write, file } = options
  if (append !== undefined && write) throw refusal('invalid_input', 'either --append or --write, not both')
  if (typeof append === 'string' && file !== undefined)
    throw refusal('invalid_input', '--append has its text already; leave --file out')
  if (append !== undefined) {
    const text = append === true ? await readInput(file, 'experience') : append
    return send(context, options, 'POST', path, text)
  }
  if (write) return send(context, options, 'PUT', path, await readInput(file, 'experience'))
  needsNoFile(options)
  return printText(context, options, path)
}

function needsNoFile({ file }: { file?: string }): void {
  if (file !== undefined) throw refusal('invalid_input', '--file is for writing; add --write')
}

async function printText(context: CliContext, { json }: Form, path: string): Promise<number> {
  const answered = await context.api().get<{ text: string }>(path)
  if (json) context.json(answered)
  else context.text(answered.text)
  return 0
}

/** What was written needs no echo. */
async function send(
  context: CliContext,
  { json }: Form,
  method: 'PUT' | 'POST',
  path: string,
  text: string,
): Promise<number> {
  const answered = await context.api().call<{ bytes: number; warnings?: string[] }>(method, path, { text })
  warn(context, answered.warnings)
  if (json) context.json(answered)
  return 0
}
