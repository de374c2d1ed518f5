import { printWarnings } from '../../cli/answers.ts'
import type { CliContext } from '../../cli/context.ts'
import { plain, tableLines, type Terminal } from '../../cli/terminal.ts'
import type { Wire } from '../../cli/wire.ts'
import { refusal } from '../../kernel/errors.ts'
import type { RunConfiguration } from '../../work/runs/contract.ts'
import { runEndpoints } from '../../work/runs/endpoints.ts'
import type { ResolvedTeam, ResolvedTier } from '../contract.ts'

export interface TiersOptions {
  team?: string
  json?: true
}

/** Prints the role, runtime and model of each tier: of a run as it started, or of one that would start now. */
export async function showTiers(context: CliContext, run: string | undefined, options: TiersOptions): Promise<number> {
  const team = run === undefined ? await teamNow(context, options) : await teamOf(context, run, options)
  if (team === null) return 1
  if (options.json) context.json(team)
  else {
    for (const line of tierLines(context, team)) context.out(line)
    printWarnings(context, team.warnings)
  }
  return 0
}

const teamNow = async (context: CliContext, { team }: TiersOptions): Promise<Wire<ResolvedTeam> | null> =>
  (await import('../../cli/offline.ts')).teamOrFaults(context, team)

async function teamOf(context: CliContext, run: string, { team }: TiersOptions): Promise<Wire<ResolvedTeam>> {
  if (team !== undefined)
    throw refusal('invalid_input', 'a run keeps the team that it started with', {
      hint: 'Name a run, or a team file with --team, not both.',
    })
  const configuration = await context.api().call<Wire<RunConfiguration>>(runEndpoints.configuration, { run_id: run })
  if (configuration.team === undefined)
    throw refusal('unsupported', `${run} does not work in tiers`, { hint: '"agency inspect --tiers" shows your team.' })
  return configuration.team
}

export function tierLines(terminal: Terminal, { tiers }: Pick<Wire<ResolvedTeam>, 'tiers'>): string[] {
  const columns = [
    { title: 'TIER' },
    { title: 'ROLE' },
    { title: 'OWNS', flexible: true },
    { title: 'CAPABILITY' },
    { title: 'RUNTIME' },
    { title: 'MODEL' },
  ] as const
  const rows = Object.entries(tiers).map(([name, tier]) => [
    name.toUpperCase(),
    tier.role,
    tier.owns,
    tier.capability,
    plain(tier.runtime),
    modelText(tier.runtime_options),
  ])
  return tableLines(terminal, columns, rows)
}

const modelText = ({ provider, model }: ResolvedTier['runtimeOptions']): string =>
  typeof model !== 'string' ? '–' : plain(typeof provider === 'string' ? `${provider} ${model}` : model)
