import type { Runtime } from '../adapters/runtime/port.ts'
import { AgencyError, refusal } from '../kernel/errors.ts'
import type { Fault } from '../documents/contract.ts'
import { type ResolvedTeam, standardRuntime, type Team, tierNames } from './contract.ts'
import { locationIn, type ReadTeam, readTeam, teamFault } from './load.ts'
import type { SourceLocation } from '../documents/faults.ts'
import { type Problem, type Resolution, resolveTeam, type RuntimeState, type TeamEnvironment } from './resolve.ts'

/** A team file: its text, and the name by which messages refer to it. */
export interface TeamFile {
  readonly text: string
  readonly name: string
}

/** The parts of this installation that a team is checked against. */
export interface Installation {
  readonly runtimes: ReadonlyMap<string, Runtime>
  readonly checkTalent: CheckTalent
  /** Reads the text of a team file where it can do no harm; by default here and now. */
  readonly readTeam?: (text: string) => Promise<ReadTeam>
}

/** Returns the talent key that cannot be used and the reason, or null. `src/talent` provides it. */
export type CheckTalent = (
  talent: ResolvedTeam['talent'],
) => Promise<{ key: keyof ResolvedTeam['talent']; message: string } | null>

/** Resolves the team of a new run, from its file or by default. The refusal lists every line that is wrong. */
export async function resolveTeamOfRun(
  file: TeamFile | null,
  installation: Installation,
  request: Omit<TeamEnvironment, 'runtimes'>,
): Promise<ResolvedTeam> {
  return accept(file, await inspectTeam(file, installation, request))
}

export interface InspectedTeam extends Resolution {
  /** The team as the file states it. */
  readonly written: Team
  locationOf: LocationOf
}

type LocationOf = (path: readonly PropertyKey[]) => SourceLocation

/** Resolves a team for display: refuses an invalid file, and lists what this installation lacks as problems. */
export async function inspectTeam(
  file: TeamFile | null,
  { runtimes, checkTalent, readTeam: read = async (text) => readTeam(text) }: Installation,
  request: Omit<TeamEnvironment, 'runtimes'>,
): Promise<InspectedTeam> {
  const environment = { ...request, runtimes: await statesOf(runtimes.values()) }
  const inspected = openRead(file, file === null ? readTeam('') : await read(file.text), environment)
  const talent = await checkTalent(inspected.team.talent)
  const problems = [
    ...inspected.problems,
    ...optionProblems(inspected, environment, runtimes),
    ...(talent === null ? [] : [talentProblem(talent)]),
  ]
  return { ...inspected, problems }
}

const talentProblem = ({ key, message }: NonNullable<Awaited<ReturnType<CheckTalent>>>): Problem => ({
  code: 'invalid_input',
  path: ['talent', key],
  message,
})

/** Resolves a team without asking any runtime to check its options. */
export const openTeam = (file: TeamFile | null, environment: TeamEnvironment): InspectedTeam =>
  openRead(file, readTeam(file?.text ?? ''), environment)

function openRead(file: TeamFile | null, read: ReadTeam, environment: TeamEnvironment): InspectedTeam {
  const { team, faults } = read
  if (team === null) throw faulty(file, 'invalid_input', faults)
  return { ...resolveTeam(team, environment), written: team, locationOf: (path) => locationIn(read, path) }
}

export function accept(file: TeamFile | null, { team, problems, locationOf }: InspectedTeam): ResolvedTeam {
  const elsewhere = problems.find(({ path }) => path === null)
  const first = elsewhere ?? problems[0]
  if (first === undefined) return team
  if (first.path === null)
    throw refusal(first.code, first.message, first.hint === undefined ? {} : { hint: first.hint })
  throw faulty(file, first.code, faultsOf(problems, locationOf))
}

export const faultsOf = (problems: readonly Problem[], locationOf: LocationOf): Fault[] =>
  problems.map(({ path, message }) => teamFault(path ?? [], message, locationOf(path ?? [])))

/**
 * Returns the options that their runtime refuses, each at the line that states it. Options that follow from a problem
 * that is listed already are left out.
 */
function optionProblems(
  { written, team, problems: known }: InspectedTeam,
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
      const sentence = `${message}${hint === undefined ? '' : `. ${hint}`}`
      problems.set(`${path.join('.')} ${sentence}`, { code, path, message: sentence })
    }
  }
  return [...problems.values()]
}

/** Asks each runtime whether it can run here. */
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
    hint: '"agency doctor --team FILE" lists all faults and starts nothing.',
    data: file === null ? {} : { file: file.name, faults },
  })
}
