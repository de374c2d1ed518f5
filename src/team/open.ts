import type { Runtime } from '../adapters/runtime/port.ts'
import { type AgencyError, refusal } from '../kernel/errors.ts'
import type { Fault } from '../org/document/contract.ts'
import type { ResolvedTeam } from './contract.ts'
import { readTeam, teamFault } from './load.ts'
import { resolveTeam, type RuntimeState, type TeamEnvironment } from './resolve.ts'

/** A team file: what it says, and what it is called where somebody has to look into it. */
export interface TeamFile {
  readonly text: string
  readonly name: string
}

/** The team that a run of now would get, from its file or by default. Refuses with every line that is wrong. */
export function openTeam(file: TeamFile | null, environment: TeamEnvironment): ResolvedTeam {
  const { team, faults, placeOf } = readTeam(file?.text ?? '')
  if (team === null) throw faulty(file, faults)
  const resolution = resolveTeam(team, environment)
  if ('team' in resolution) return resolution.team
  throw faulty(
    file,
    resolution.problems.map(({ path, message }) => teamFault(path, message, placeOf(path))),
  )
}

/** Asks each whether it can run here. */
export const statesOf = (runtimes: Iterable<Runtime>): Promise<RuntimeState[]> =>
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

function faulty(file: TeamFile | null, faults: readonly Fault[]): AgencyError {
  const [first] = faults
  const where = file === null || first === undefined ? 'the team' : `${file.name}:${first.line}:${first.column}`
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return refusal('invalid_input', `${where}: ${first?.message ?? 'it cannot be used'}${more}`, {
    hint: 'agency doctor --team FILE lists everything that is wrong with it and starts nothing.',
    data: file === null ? {} : { file: file.name, faults },
  })
}
