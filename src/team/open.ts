import type { Runtime } from '../adapters/runtime/port.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import type { Fault } from '../org/document/contract.ts'
import { troubleOfTalent } from '../talent/team-talent.ts'
import { type ResolvedTeam, standardRuntime, type Team, tierNames } from './contract.ts'
import { type ReadTeam, readTeam, teamFault } from './load.ts'
import { type Problem, type Resolution, resolveTeam, type RuntimeState, type TeamEnvironment } from './resolve.ts'

/** A team file: what it says, and what it is called where somebody has to look into it. */
export interface TeamFile {
  readonly text: string
  readonly name: string
}

/** The team of a run that begins now, from its file or by default. Refuses with every line that is wrong. */
export async function teamHere(
  file: TeamFile | null,
  runtimes: ReadonlyMap<string, Runtime>,
  asked: Omit<TeamEnvironment, 'runtimes'>,
): Promise<ResolvedTeam> {
  return accept(file, await lookAtTeam(file, runtimes, asked))
}

export interface SeenTeam extends Resolution {
  /** What the file says. */
  readonly written: Team
  placeOf: ReadTeam['placeOf']
}

/** The same for whoever only wants to see it: refuses a file that is wrong, and tells what is missing here. */
export async function lookAtTeam(
  file: TeamFile | null,
  runtimes: ReadonlyMap<string, Runtime>,
  asked: Omit<TeamEnvironment, 'runtimes'>,
): Promise<SeenTeam> {
  const environment = { ...asked, runtimes: await statesOf(runtimes.values()) }
  const seen = openTeam(file, environment)
  const problems = [...seen.problems, ...misfits(seen, environment, runtimes), ...(await troublesOfTalent(seen))]
  return { ...seen, problems }
}

async function troublesOfTalent({ team }: SeenTeam): Promise<Problem[]> {
  const trouble = await troubleOfTalent(team.talent)
  return trouble === null ? [] : [{ code: 'invalid_input', path: ['talent', trouble.key], message: trouble.message }]
}

/** Without asking any runtime what it thinks of its options. */
export function openTeam(file: TeamFile | null, environment: TeamEnvironment): SeenTeam {
  const { team, faults, placeOf } = readTeam(file?.text ?? '')
  if (team === null) throw faulty(file, 'invalid_input', faults)
  return { ...resolveTeam(team, environment), written: team, placeOf }
}

export function accept(file: TeamFile | null, { team, problems, placeOf }: SeenTeam): ResolvedTeam {
  const elsewhere = problems.find(({ path }) => path === null)
  const first = elsewhere ?? problems[0]
  if (first === undefined) return team
  if (first.path === null)
    throw refusal(first.code, first.message, first.hint === undefined ? {} : { hint: first.hint })
  throw faulty(file, first.code, faultsOf(problems, placeOf))
}

export const faultsOf = (problems: readonly Problem[], placeOf: ReadTeam['placeOf']): Fault[] =>
  problems.map(({ path, message }) => teamFault(path ?? [], message, placeOf(path ?? [])))

/** What no runtime can work with, at the line that says it; nothing that is said already by what is missing here. */
function misfits(
  { written, team, problems: known }: SeenTeam,
  { runtime: asked, runtimes: states }: TeamEnvironment,
  runtimes: ReadonlyMap<string, Runtime>,
): Problem[] {
  const problems = new Map<string, Problem>()
  for (const tier of tierNames) {
    const { capability, runtime, runtimeOptions } = team.tiers[tier]
    const isWithoutModel = runtime === standardRuntime && runtimeOptions['model'] === undefined
    if (known.length > 0 && isWithoutModel) continue
    try {
      runtimes.get(runtime)?.checkOptions(runtimeOptions)
    } catch (error) {
      if (!(error instanceof AgencyError) || (error.code !== 'invalid_input' && error.code !== 'no_runtime'))
        throw error
      const { code, message, hint, data } = error
      const isInTrouble = states.some(({ name, trouble }) => name === runtime && trouble !== null)
      if (isInTrouble && data['missingKey'] !== undefined) continue
      if (asked !== undefined) return [{ code, path: null, message, ...(hint === undefined ? {} : { hint }) }]
      const own = written.tiers[tier].options === undefined ? ['runtime', 'options'] : ['tiers', tier, 'options']
      const path = runtime === standardRuntime && own[0] === 'runtime' ? ['capabilities', capability] : own
      const said = `${message}${hint === undefined ? '' : `. ${hint}`}`
      problems.set(`${path.join('.')} ${said}`, { code, path, message: said })
    }
  }
  return [...problems.values()]
}

/** Asks each whether it can run here. */
const statesOf = (runtimes: Iterable<Runtime>): Promise<RuntimeState[]> =>
  Promise.all(
    [...runtimes].map(async ({ name, capabilities, available }) => {
      const found = await available()
      return {
        name,
        trouble: found.ok ? null : { reason: found.reason, install: found.install },
        simulated: capabilities.simulated,
        provider: capabilities.provider,
        teams: capabilities.teams,
      }
    }),
  )

function faulty(file: TeamFile | null, code: Problem['code'], faults: readonly Fault[]): AgencyError {
  const [first] = faults
  const where = file === null || first === undefined ? 'the team' : `${file.name}:${first.line}:${first.column}`
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return refusal(code, `${where}: ${first?.message ?? 'it cannot be used'}${more}`, {
    hint: 'agency doctor --team FILE lists everything that is wrong with it and starts nothing.',
    data: file === null ? {} : { file: file.name, faults },
  })
}
