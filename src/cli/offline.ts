import { explainConfiguration, loadConfiguration } from '../config/load.ts'
import type { DaemonStatus } from '../daemon/contract.ts'
import { examine } from '../doctor/doctor.ts'
import { systemClock } from '../kernel/clock.ts'
import type { ResolvedTeam } from '../team/contract.ts'
import { ask } from '../client/client.ts'
import type { CliContext } from './context.ts'
import { socketOf, tokenOf } from './endpoint.ts'
import { Unreachable } from '../client/http.ts'
import { plain, signText, stateOf, tableLines } from './terminal.ts'
import type { Wire } from './wire.ts'

/** What works without a daemon, and with a broken one. It brings along YAML, zod and the store, so it is loaded last. */
export interface DoctorOptions {
  /** A team file to look at, and nothing else. */
  team?: string
  audit?: true
  replay?: true | string
  json?: true
}

export async function doctor(context: CliContext, options: DoctorOptions): Promise<number> {
  const { team } = options
  if (team !== undefined) return (await import('./offline/team.ts')).examineTeamFile(context, { ...options, team })
  const { env, paths } = context
  const findings = await examine(
    { env, paths, clock: systemClock, probe: () => probeDaemon(context) },
    { audit: options.audit ?? false, replay: options.replay ?? false },
  )
  const healthy = findings.every(({ status }) => status !== 'fail')
  if (options.json) context.json({ ok: healthy, checks: findings })
  else {
    for (const { name, status, detail, next } of findings) {
      context.out(`${signText(context, stateOf(status))} ${name.padEnd(14)} ${plain(detail)}`)
      if (next !== undefined) context.out(`  ${''.padEnd(14)} → ${plain(next)}`)
    }
  }
  return healthy ? 0 : 1
}

/** The team of this moment, from its file or by default; null: it cannot be, and why was told. */
export const teamOrFaults = async (context: CliContext, file: string | undefined): Promise<Wire<ResolvedTeam> | null> =>
  (await import('./offline/team.ts')).teamOrFaults(context, file)

/** What the documents of a tiered run look like, by their names. */
export async function printSchemas(context: CliContext): Promise<number> {
  context.json((await import('./offline/schemas.ts')).documentSchemas())
  return 0
}

async function probeDaemon({ env, paths }: CliContext): Promise<Wire<DaemonStatus> | null> {
  const headers = { Authorization: `Bearer ${tokenOf(env, paths)}` }
  try {
    return await ask<Wire<DaemonStatus>>(socketOf(env, paths), { method: 'GET', path: '/api/status', headers }, 5_000)
  } catch (error) {
    if (error instanceof Unreachable) return null
    throw error
  }
}

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** A list would make its column as wide as a page; "agency config" prints it whole. */
const namesOf = (list: readonly Record<string, unknown>[]): string =>
  list.length === 0 ? 'none' : list.map(({ name, adapter }) => String(name ?? adapter)).join(', ')

export interface ConfigOptions {
  explain?: true
  json?: true
}

export async function config(context: CliContext, options: ConfigOptions): Promise<number> {
  const settings = explainConfiguration(loadConfiguration({ env: context.env, home: context.paths }))
  if (options.json) context.json({ home: context.paths.home, file: context.paths.config, settings })
  else if (options.explain) {
    const columns = [
      { title: 'SETTING' },
      { title: 'VALUE' },
      { title: 'FROM' },
      { title: 'ENVIRONMENT' },
      { title: 'WHAT IT IS', flexible: true },
    ] as const
    const rows = settings.map(({ key, value, from, environment, description }) => [
      key,
      Array.isArray(value) ? namesOf(value) : shown(value),
      from,
      environment,
      description,
    ])
    for (const line of tableLines(context, columns, rows)) context.out(line)
    context.out(`Order: flag, environment, ${context.paths.config}, default.`)
  } else for (const { key, value } of settings) context.out(`${key}: ${shown(value)}`)
  return 0
}
