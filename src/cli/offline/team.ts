import { notifierName } from '../../adapters/notify/contract.ts'
import { loadConfiguration } from '../../config/load.ts'
import { createRuntimes } from '../../daemon/runtimes.ts'
import { readTeamFile } from '../../daemon/team-file.ts'
import { AgencyError } from '../../kernel/errors.ts'
import { toWire } from '../../operations/wire.ts'
import { yamlText } from '../../operations/yaml.ts'
import type { Fault } from '../../documents/contract.ts'
import { checkTeamTalent } from '../../talent/team-talent.ts'
import { readTeamOption } from '../../team/cli.ts'
import { ResolvedTeam } from '../../team/contract.ts'
import { faultsOf, inspectTeam, type TeamFile } from '../../team/open.ts'
import type { Problem } from '../../team/resolve.ts'
import { printWarnings } from '../answers.ts'
import type { CliContext } from '../context.ts'
import { faultLine } from '../faults.ts'
import { plain } from '../terminal.ts'
import type { Wire } from '../wire.ts'

export interface TeamOptions {
  team: string
  json?: true
}

/** Prints the team that a team file resolves to on this machine, or its faults, which are the result of the command. */
export async function examineTeamFile(context: CliContext, { team: option, json }: TeamOptions): Promise<number> {
  const found = await resolveTeam(context, option)
  if (json) context.json(found)
  else if (found.ok) {
    context.text(yamlText(found.team))
    printWarnings(context, found.team.warnings)
  } else for (const line of linesOf(found)) context.out(line)
  return found.ok ? 0 : 1
}

/** Resolves a team for further use; null: its faults were printed. */
export async function teamOrFaults(
  context: CliContext,
  option: string | undefined,
): Promise<Wire<ResolvedTeam> | null> {
  const found = await resolveTeam(context, option)
  if (found.ok) return found.team
  for (const line of linesOf(found)) context.err(line)
  return null
}

type Resolved =
  | { ok: true; team: Wire<ResolvedTeam> }
  | { ok: false; file: string | null; faults: Fault[]; error: string; hint?: string | undefined }

const resolveTeam = (context: CliContext, option: string | undefined): Promise<Resolved> =>
  resolve(context, async () =>
    option === undefined ? readTeamFile(context.paths.team) : { text: await readTeamOption(option), name: option },
  )

/** Resolves the text of a team file that is not written yet. */
export const resolveTeamText = (context: CliContext, file: TeamFile): Promise<Resolved> =>
  resolve(context, async () => file)

async function resolve({ env, paths }: CliContext, read: () => Promise<TeamFile | null>): Promise<Resolved> {
  let file: TeamFile | null = null
  try {
    file = await read()
    const { values } = loadConfiguration({ env, home: paths })
    const runtimes = new Map(createRuntimes(values, env, 'shell').map((runtime) => [runtime.name, runtime]))
    const installation = { runtimes, checkTalent: checkTeamTalent }
    const { team, problems, locationOf } = await inspectTeam(file, installation, {
      defaultRuntime: values.defaultRuntime,
      notifiers: values.notify.map(notifierName),
    })
    const wrong = problems.filter(({ code }) => code === 'invalid_input')
    if (wrong.length > 0)
      return { ok: false, ...firstProblem(wrong), file: file?.name ?? null, faults: faultsOf(wrong, locationOf) }
    const missing = problems.map(({ message, hint }) => (hint === undefined ? message : `${message}. ${hint}`))
    const shown = { ...team, warnings: [...team.warnings, ...new Set(missing)] }
    return { ok: true, team: toWire(ResolvedTeam, shown) as Wire<ResolvedTeam> }
  } catch (error) {
    if (!(error instanceof AgencyError) || error.code === 'bug') throw error
    const { message, hint, data } = error
    return { ok: false, file: file?.name ?? null, faults: (data['faults'] ?? []) as Fault[], error: message, hint }
  }
}

const firstProblem = ([first]: readonly Problem[]) => ({ error: first?.message ?? '', hint: first?.hint })

export function linesOf({ file, faults, error, hint }: Extract<Resolved, { ok: false }>): string[] {
  if (file !== null && faults.length > 0) return faults.map((fault) => faultLine(fault, file))
  return [`error: ${plain(error)}`, ...(hint === undefined ? [] : [`  ${plain(hint)}`])]
}
