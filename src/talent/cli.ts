import { resolve } from 'node:path'

import { printWarnings } from '../cli/answers.ts'
import type { talentImportCommand } from '../cli/commands/talent/import.ts'
import type { talentListCommand } from '../cli/commands/talent/list.ts'
import type { talentMapCommand } from '../cli/commands/talent/map.ts'
import type { talentPromptsCommand } from '../cli/commands/talent/prompts.ts'
import type { talentShowCommand } from '../cli/commands/talent/show.ts'
import type { Handler } from '../cli/declare.ts'
import { plain, tableLines, visible } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import type { OutputOf } from '../operations/contract.ts'
import type { talentOperations } from './contract.ts'
import { talentEndpoints } from './endpoints.ts'

type Answer<Name extends keyof typeof talentOperations> = Wire<OutputOf<(typeof talentOperations)[Name]>>

export const listTalent: Handler<typeof talentListCommand> = async (context, { tier, division, json }) => {
  const answer = await context.api().call<Answer<'list'>>(talentEndpoints.list, { tier, division })
  if (json) context.json(answer)
  else {
    const columns = [
      { title: 'NAME' },
      { title: 'DIVISION' },
      { title: 'TIERS' },
      { title: 'CAPABILITY' },
      { title: 'FROM' },
      { title: 'DOMAINS', flexible: true },
    ] as const
    const rows = answer.entries.map((each) => [
      plain(each.name),
      plain(each.division),
      each.tiers.join(' '),
      each.capability,
      each.from,
      plain(each.domains.join(', ')),
    ])
    if (rows.length === 0) context.out('no personality of the pool matches')
    else for (const line of tableLines(context, columns, rows)) context.out(line)
  }
  printWarnings(context, answer.warnings.map(plain))
  return 0
}

export const showTalent: Handler<typeof talentShowCommand> = async (context, name, { json }) => {
  const { text, ...fields } = await context.api().call<Answer<'show'>>(talentEndpoints.show, { talent: name })
  if (json) context.json({ ...fields, text })
  else {
    for (const [key, value] of Object.entries(fields))
      context.out(`${key}: ${plain(Array.isArray(value) ? `[${value.join(', ')}]` : value)}`)
    context.out('')
    for (const line of visible(text).split('\n')) context.out(line)
  }
  return 0
}

export const mapTalent: Handler<typeof talentMapCommand> = async (context, { json }) => {
  const answer = await context.api().call<Answer<'map'>>(talentEndpoints.map)
  if (json) context.json(answer)
  else {
    const columns = [{ title: 'TIER' }, { title: 'DOMAIN' }, { title: 'NAME' }, { title: 'FROM' }] as const
    const rows = answer.rows.map(({ tier, domain, name, from }) => [tier, plain(domain), plain(name), from])
    for (const line of tableLines(context, columns, rows)) context.out(line)
  }
  printWarnings(context, answer.warnings.map(plain))
  return 0
}

export const importTalent: Handler<typeof talentImportCommand> = async (context, folder, { json }) => {
  const answer = await context.api().call<Answer<'import'>>(talentEndpoints.import, { directory: resolve(folder) })
  if (json) context.json(answer)
  else {
    const { imported, updated, skipped, mapping } = answer
    for (const path of imported) context.out(`imported ${plain(path)}`)
    for (const path of updated) context.out(`updated ${plain(path)}`)
    for (const { path, reason } of skipped) context.out(`skipped ${plain(path)}: ${plain(reason)}`)
    if (mapping) context.out('its role_registry.yaml decides the default casting from now on')
    context.out(`${imported.length} imported, ${updated.length} updated, ${skipped.length} skipped`)
  }
  return 0
}

export const listPrompts: Handler<typeof talentPromptsCommand> = async (context, { json }) => {
  const answer = await context.api().call<Answer<'prompts'>>(talentEndpoints.prompts)
  if (json) context.json(answer)
  else {
    const columns = [
      { title: 'PLAYBOOK' },
      { title: 'PROMPT' },
      { title: 'FROM' },
      { title: 'FILE', flexible: true },
    ] as const
    const rows = answer.prompts.map(({ playbook, name, from, path }) => [playbook, plain(name), from, plain(path)])
    for (const line of tableLines(context, columns, rows)) context.out(line)
  }
  printWarnings(context, answer.warnings.map(plain))
  return 0
}
