import { resolve } from 'node:path'

import { type Form, url, warn } from '../cli/answers.ts'
import type { CliContext } from '../cli/context.ts'
import { plain, tableLines, visible } from '../cli/terminal.ts'
import type { Wire } from '../cli/wire.ts'
import type { OutputOf } from '../operations/contract.ts'
import type { talentOperations } from './contract.ts'

type Answer<Name extends keyof typeof talentOperations> = Wire<OutputOf<(typeof talentOperations)[Name]>>

export interface ListOptions extends Form {
  tier?: string
  division?: string
}

export async function listTalent(context: CliContext, { tier, division, json }: ListOptions): Promise<number> {
  const answered = await context.api().get<Answer<'list'>>('/talent', { tier, division })
  if (json) context.json(answered)
  else {
    const columns = [
      { title: 'NAME' },
      { title: 'DIVISION' },
      { title: 'TIERS' },
      { title: 'CAPABILITY' },
      { title: 'FROM' },
      { title: 'DOMAINS', flexible: true },
    ] as const
    const rows = answered.entries.map((each) => [
      plain(each.name),
      plain(each.division),
      each.tiers.join(' '),
      each.capability,
      each.from,
      plain(each.domains.join(', ')),
    ])
    if (rows.length === 0) context.out('nobody in the pool is like that')
    else for (const line of tableLines(context, columns, rows)) context.out(line)
  }
  warn(context, answered.warnings.map(plain))
  return 0
}

export async function showTalent(context: CliContext, name: string, { json }: Form): Promise<number> {
  const { text, ...fields } = await context.api().get<Answer<'show'>>(url`/talent/entries/${name}`)
  if (json) context.json({ ...fields, text })
  else {
    for (const [key, value] of Object.entries(fields))
      context.out(`${key}: ${plain(Array.isArray(value) ? `[${value.join(', ')}]` : value)}`)
    context.out('')
    for (const line of visible(text).split('\n')) context.out(line)
  }
  return 0
}

export async function mapTalent(context: CliContext, { json }: Form): Promise<number> {
  const answered = await context.api().get<Answer<'map'>>('/talent/map')
  if (json) context.json(answered)
  else {
    const columns = [{ title: 'TIER' }, { title: 'DOMAIN' }, { title: 'NAME' }, { title: 'FROM' }] as const
    const rows = answered.rows.map(({ tier, domain, name, from }) => [tier, plain(domain), plain(name), from])
    for (const line of tableLines(context, columns, rows)) context.out(line)
  }
  warn(context, answered.warnings.map(plain))
  return 0
}

export async function importTalent(context: CliContext, folder: string, { json }: Form): Promise<number> {
  const answered = await context.api().post<Answer<'import'>>('/talent/import', { directory: resolve(folder) })
  if (json) context.json(answered)
  else {
    const { imported, updated, skipped, mapping } = answered
    for (const path of imported) context.out(`imported ${plain(path)}`)
    for (const path of updated) context.out(`updated ${plain(path)}`)
    for (const { path, reason } of skipped) context.out(`skipped ${plain(path)}: ${plain(reason)}`)
    if (mapping) context.out('its role_registry.yaml decides from now on who is cast')
    context.out(`${imported.length} imported, ${updated.length} updated, ${skipped.length} skipped`)
  }
  return 0
}

export async function listPrompts(context: CliContext, { json }: Form): Promise<number> {
  const answered = await context.api().get<Answer<'prompts'>>('/talent/prompts')
  if (json) context.json(answered)
  else {
    const columns = [
      { title: 'PLAYBOOK' },
      { title: 'PROMPT' },
      { title: 'FROM' },
      { title: 'FILE', flexible: true },
    ] as const
    const rows = answered.prompts.map(({ playbook, name, from, path }) => [playbook, plain(name), from, plain(path)])
    for (const line of tableLines(context, columns, rows)) context.out(line)
  }
  warn(context, answered.warnings.map(plain))
  return 0
}
