import { answer, type Form, url, warn } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import { readInput } from '../../cli/input.ts'
import type { Wire } from '../../cli/wire.ts'
import type { OrganisationView } from './contract.ts'

export interface OrgOptions extends Form {
  org: string
}

export interface CreateOptions extends Form {
  name: string
  purpose: string
  description?: string
}

export const createOrganisation = (context: CliContext, { name, purpose, description, json }: CreateOptions) =>
  answer(context, { json }, 'POST', '/orgs', { name, purpose, description })

export const listOrganisations = (context: CliContext, { all, json }: Form & { all?: true }) =>
  answer(context, { json }, 'GET', '/orgs', { all })

export const showOrganisation = (context: CliContext, { org, json }: OrgOptions) =>
  answer(context, { json }, 'GET', url`/orgs/${org}`)

export interface UpdateOptions extends OrgOptions {
  name?: string
  description?: string
  status?: string
  leadPosition?: number | null
}

export const updateOrganisation = (context: CliContext, options: UpdateOptions) =>
  answer(context, options, 'PATCH', url`/orgs/${options.org}`, {
    name: options.name,
    description: options.description,
    status: options.status,
    lead_position_id: options.leadPosition,
  })

export async function archiveOrganisation(
  context: CliContext,
  { org, preview, json }: OrgOptions & { preview?: true },
): Promise<number> {
  if (!preview) return answer(context, { json }, 'PATCH', url`/orgs/${org}`, { status: 'archived' })
  const { organisation_id, status } = await context.api().get<Wire<OrganisationView>>(url`/orgs/${org}`)
  if (status === 'archived') context.out('no changes')
  else context.out(`update organisation_id ${organisation_id} status: ${status} → archived`)
  return 0
}

export const organisationStatus = (context: CliContext, { org, json }: OrgOptions) =>
  answer(context, { json }, 'GET', url`/orgs/${org}/status`)

interface Setting {
  key: string
  value: string
  default: string
  is_default: boolean
}

/** One setting alone is its value alone: a script needs no parser for it. */
export async function getSettings(
  context: CliContext,
  key: string | undefined,
  { org, json }: OrgOptions,
): Promise<number> {
  const answered = await context.api().get<{ settings: Setting[] }>(url`/orgs/${org}/settings`, { key })
  if (json) context.json(answered)
  else if (key !== undefined) for (const { value } of answered.settings) context.out(value)
  else
    for (const each of answered.settings)
      context.out(`${each.key}: ${each.value}${each.is_default ? '' : `  # default: ${each.default}`}`)
  return 0
}

export const setSetting = (context: CliContext, key: string, value: string, { org, json }: OrgOptions) =>
  answer(context, { json }, 'PUT', url`/orgs/${org}/settings/${key}`, { value })

export async function readIntent(context: CliContext, { org, json }: OrgOptions): Promise<number> {
  const answered = await context.api().get<{ text: string; warnings: string[] }>(url`/orgs/${org}/intent`)
  warn(context, answered.warnings)
  if (json) context.json(answered)
  else context.text(answered.text)
  return 0
}

export async function writeIntent(
  context: CliContext,
  { org, file, json }: OrgOptions & { file?: string },
): Promise<number> {
  const text = await readInput(file, 'intent')
  return answer(context, { json }, 'PUT', url`/orgs/${org}/intent`, { text })
}
