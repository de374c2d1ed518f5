import { printAnswer, printWarnings } from '../../cli/answers.ts'
import type { orgArchiveCommand } from '../../cli/commands/org/archive.ts'
import type { orgCreateCommand } from '../../cli/commands/org/create.ts'
import type { orgGetCommand } from '../../cli/commands/org/get.ts'
import type { orgIntentReadCommand } from '../../cli/commands/org/intent/read.ts'
import type { orgIntentWriteCommand } from '../../cli/commands/org/intent/write.ts'
import type { orgListCommand } from '../../cli/commands/org/list.ts'
import type { orgSetCommand } from '../../cli/commands/org/set.ts'
import type { orgShowCommand } from '../../cli/commands/org/show.ts'
import type { orgStatusCommand } from '../../cli/commands/org/status.ts'
import type { orgUpdateCommand } from '../../cli/commands/org/update.ts'
import type { Handler } from '../../cli/declare.ts'
import { readInput } from '../../cli/input.ts'
import type { Wire } from '../../cli/wire.ts'
import type { OrganisationView } from './contract.ts'
import { organisationEndpoints } from './endpoints.ts'

export const createOrganisation: Handler<typeof orgCreateCommand> = (context, { name, purpose, description, json }) =>
  printAnswer(context, { json }, organisationEndpoints.create, { name, purpose, description })

export const listOrganisations: Handler<typeof orgListCommand> = (context, { all, json }) =>
  printAnswer(context, { json }, organisationEndpoints.list, { all })

export const showOrganisation: Handler<typeof orgShowCommand> = (context, { org, json }) =>
  printAnswer(context, { json }, organisationEndpoints.show, { org })

export const updateOrganisation: Handler<typeof orgUpdateCommand> = (context, options) =>
  printAnswer(context, options, organisationEndpoints.update, {
    org: options.org,
    name: options.name,
    description: options.description,
    status: options.status,
    lead_position_id: options.leadPosition,
  })

export const archiveOrganisation: Handler<typeof orgArchiveCommand> = async (context, { org, preview, json }) => {
  if (!preview) return printAnswer(context, { json }, organisationEndpoints.update, { org, status: 'archived' })
  const { organisation_id, status } = await context
    .api()
    .call<Wire<OrganisationView>>(organisationEndpoints.show, { org })
  if (status === 'archived') context.out('no changes')
  else context.out(`update organisation_id ${organisation_id} status: ${status} → archived`)
  return 0
}

export const organisationStatus: Handler<typeof orgStatusCommand> = (context, { org, json }) =>
  printAnswer(context, { json }, organisationEndpoints.status, { org })

interface Setting {
  key: string
  value: string
  default: string
  is_default: boolean
}

/** Prints settings; a single one is its value alone, so that a script needs no parser for it. */
export const getSettings: Handler<typeof orgGetCommand> = async (context, key, { org, json }) => {
  const answer = await context.api().call<{ settings: Setting[] }>(organisationEndpoints.settings, { org, key })
  if (json) context.json(answer)
  else if (key !== undefined) for (const { value } of answer.settings) context.out(value)
  else
    for (const each of answer.settings)
      context.out(`${each.key}: ${each.value}${each.is_default ? '' : `  # default: ${each.default}`}`)
  return 0
}

export const setSetting: Handler<typeof orgSetCommand> = (context, key, value, { org, json }) =>
  printAnswer(context, { json }, organisationEndpoints.set, { org, key, value })

export const readIntent: Handler<typeof orgIntentReadCommand> = async (context, { org, json }) => {
  const answer = await context
    .api()
    .call<{ text: string; warnings: string[] }>(organisationEndpoints.readIntent, { org })
  printWarnings(context, answer.warnings)
  if (json) context.json(answer)
  else context.text(answer.text)
  return 0
}

export const writeIntent: Handler<typeof orgIntentWriteCommand> = async (context, { org, file, json }) => {
  const text = await readInput(file, 'intent')
  return printAnswer(context, { json }, organisationEndpoints.writeIntent, { org, text })
}
