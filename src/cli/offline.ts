import { explainConfiguration, loadConfiguration } from '../config/load.ts'
import type { DaemonStatus } from '../daemon/contract.ts'
import type { ProbedDaemon } from '../doctor/daemon.ts'
import { examine } from '../doctor/doctor.ts'
import { examineSecurity } from '../doctor/security.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Endpoint } from '../operations/endpoint.ts'
import type { ResolvedTeam } from '../team/contract.ts'
import { Unreachable } from '../client/http.ts'
import { callOnce } from '../client/send.ts'
import { daemonEndpoints } from '../daemon/endpoints.ts'
import type { configCommand } from './commands/config.ts'
import type { doctorCommand } from './commands/doctor.ts'
import type { initCommand } from './commands/init.ts'
import type { CliContext } from './context.ts'
import { daemonAddress } from './daemon-address.ts'
import type { Handler } from './declare.ts'
import { plain, signText, stateOf, tableLines } from './terminal.ts'
import type { Wire } from './wire.ts'

// These commands work without a daemon and with a broken one. They load YAML, zod and the store, so they are loaded last.

export const doctor: Handler<typeof doctorCommand> = async (context, options) => {
  const { team } = options
  if (team !== undefined) return (await import('./offline/team.ts')).examineTeamFile(context, { ...options, team })
  const deps = { env: context.env, paths: context.paths, clock: systemClock, probe: () => probeDaemon(context) }
  const findings = options.security
    ? await examineSecurity(deps)
    : await examine(deps, { audit: options.audit ?? false, replay: options.replay ?? false })
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

export const init: Handler<typeof initCommand> = async (...input) => (await import('./offline/init.ts')).init(...input)

/** Resolves the team that a run would get now, from its file or by default; null: its faults were printed. */
export const teamOrFaults = async (context: CliContext, file: string | undefined): Promise<Wire<ResolvedTeam> | null> =>
  (await import('./offline/team.ts')).teamOrFaults(context, file)

/** Prints the JSON Schemas of the documents of a tiered run, by name. */
export async function printSchemas(context: CliContext): Promise<number> {
  context.json((await import('./offline/schemas.ts')).documentSchemas())
  return 0
}

/** Completes an answer of a daemon of another version. */
export const completeAnswer = async (endpoint: Endpoint, answer: unknown): Promise<{ answer: unknown } | null> =>
  (await import('./offline/answers.ts')).completeAnswer(endpoint, answer)

async function probeDaemon(context: CliContext): Promise<ProbedDaemon | null> {
  const { versions } = context
  try {
    const options = { silenceMs: 5_000, onHead: versions.note }
    const found = await callOnce<Wire<DaemonStatus>>(daemonAddress(context), daemonEndpoints.status, {}, options)
    return { pid: found.pid, address: found.address, version: found.version, difference: versions.difference() }
  } catch (error) {
    if (error instanceof Unreachable) return null
    throw error
  }
}

const valueText = (value: unknown): string =>
  // With spaces, so that a terminal can break it.
  typeof value === 'object' && value !== null ? JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ') : String(value)

/** Shortens a list to its names: the whole list would make its column as wide as a page. */
const namesOf = (list: readonly Record<string, unknown>[]): string =>
  list.length === 0 ? 'none' : list.map(({ name, adapter }) => String(name ?? adapter)).join(', ')

const meaningWidth = 40

/** Returns whether the last column keeps enough room: a table that loses its meanings explains nothing. */
function isWideEnough({ columns }: CliContext, rows: readonly string[][]): boolean {
  const widths = [0, 1, 2, 3].map((index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return columns >= widths.reduce((sum, width) => sum + width + 2, meaningWidth)
}

/** A setting in two lines, for a terminal that is too narrow for the table. */
const stacked = ([key = '', value = '', from = '', environment = '', meaning = '']: string[]): string[] => [
  `${key}: ${value}  (${from})`,
  `    ${meaning}${environment === '' ? '' : `; ${environment}`}`,
]

export const config: Handler<typeof configCommand> = async (context, options) => {
  const settings = explainConfiguration(loadConfiguration({ env: context.env, home: context.paths }))
  if (options.json) context.json({ home: context.paths.home, file: context.paths.config, settings })
  else if (options.explain) {
    const columns = [
      { title: 'SETTING' },
      { title: 'VALUE' },
      { title: 'FROM' },
      { title: 'ENVIRONMENT' },
      { title: 'MEANING', flexible: true },
    ] as const
    const rows = settings.map(({ key, value, from, environment, description }) => [
      key,
      Array.isArray(value) ? namesOf(value) : valueText(value),
      from,
      environment,
      description,
    ])
    for (const line of isWideEnough(context, rows) ? tableLines(context, columns, rows) : rows.flatMap(stacked))
      context.out(line)
    context.out(`Order: flag, environment, ${context.paths.config}, default.`)
  } else for (const { key, value } of settings) context.out(`${key}: ${valueText(value)}`)
  return 0
}
